/// The request for a work on the open store.
package struct UpkeepRequest: Sendable, Hashable, Codable {
    package enum Work: String, Sendable, Hashable, Codable {
        /// Copies the store into ``UpkeepRequest/to``.
        case backup
        /// Gives back the room that the store no longer needs.
        case compact
    }

    package var work: Work
    /// The absolute path of the folder that a backup makes; nothing may exist there. `nil` for other works.
    package var to: String?

    package init(_ work: Work, to: String? = nil) {
        self.work = work
        self.to = to
    }
}

/// The state of the last work on the open store. It continues when the program that requested it ends.
package struct UpkeepStatus: Sendable, Hashable, Codable {
    /// Counts the works of the process from 1.
    package var number: Int
    package var work: UpkeepRequest.Work
    package var isRunning: Bool
    /// The part that is done, in bytes.
    package var done: Int64
    package var total: Int64
    /// The size of the store's own files before the work.
    package var bytesBefore: Int64
    /// The size of the backup, or of the store after it was compacted; `nil` until the work has ended well.
    package var bytesAfter: Int64?
    /// The reason why it failed.
    package var problem: ProblemDTO?

    package init(number: Int, work: UpkeepRequest.Work, bytesBefore: Int64) {
        self.number = number
        self.work = work
        self.bytesBefore = bytesBefore
        isRunning = true
        done = 0
        total = 0
    }
}
