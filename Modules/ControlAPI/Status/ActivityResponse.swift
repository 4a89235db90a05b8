/// The status and the recent delivery history, as JSON.
package struct ActivityResponse: Sendable, Hashable, Codable {
    /// The number of the store's last commit: increases with every change of a message within this run of the daemon;
    /// restarts with the next run.
    package let version: Int64
    package let status: StatusResponse
    /// Messages that reached the server in each of the last 60 minutes, oldest first; the last minute is incomplete.
    package let drainedPerMinute: [Int]

    package init(version: Int64, status: StatusResponse, drainedPerMinute: [Int]) {
        self.version = version
        self.status = status
        self.drainedPerMinute = drainedPerMinute
    }
}
