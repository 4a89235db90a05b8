public import CausewayModels
public import CausewayStorage

/// How the engine stands, at one moment.
public struct SyncStatus: Sendable, Hashable, Codable {
    /// One lane of the outbox.
    public struct Lane: Sendable, Hashable, Codable {
        public var lane: LaneID
        /// Links that still have to be said to the server.
        public var depth: Int
        /// The oldest message that waits, and why.
        public var head: MessageID?
        public var headWait: WaitReason?
    }

    public var session: Session?
    public var connectivity: Connectivity
    public var attention: Attention?
    public var isPaused: Bool
    /// Why nothing at all is sent; `nil` when that is not so.
    public var waitReason: WaitReason?
    /// What is wrong with the store right now; `nil` when nothing is.
    public var storeProblem: String?
    public var counts: StoreCounts
    public var lanes: [Lane]
    /// Messages that the server confirmed in this run.
    public var deliveredCount: Int
    /// What the server said of itself.
    public var server: String?
    public var epoch: Int64
    /// Events of this run that require no action, oldest first; the last few.
    public var notices: [SyncNotice]
}
