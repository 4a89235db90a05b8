/// How things stand and how they have gone, as JSON.
package struct ActivityForm: Sendable, Hashable, Codable {
    /// Grows with every change of a message in this run of the daemon; begins anew with the next run.
    package let version: Int64
    package let status: StatusForm
    /// Messages that reached the server in each of the last 60 minutes, oldest first; the last minute is not over.
    package let drainedPerMinute: [Int]

    package init(version: Int64, status: StatusForm, drainedPerMinute: [Int]) {
        self.version = version
        self.status = status
        self.drainedPerMinute = drainedPerMinute
    }
}
