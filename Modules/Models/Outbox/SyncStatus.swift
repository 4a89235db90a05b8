public import CausewayModels
public import CausewayStorage

/// The state of the engine at one moment.
public struct SyncStatus: Sendable, Hashable, Codable {
    /// One lane of the outbox.
    public struct Lane: Sendable, Hashable, Codable {
        public var lane: LaneID
        /// Links that the server has not confirmed.
        public var depth: Int
        /// The oldest waiting message, and the reason why it waits.
        public var head: MessageID?
        public var headWait: WaitReason?
    }

    public var session: Session?
    public var connectivity: Connectivity
    public var actionRequired: ActionRequired?
    public var isPaused: Bool
    /// The reason why nothing at all is sent; `nil` if there is none.
    public var waitReason: WaitReason?
    /// The current problem of the store; `nil` if there is none.
    public var storeProblem: String?
    public var counts: StoreCounts
    public var lanes: [Lane]
    /// Messages that the server confirmed in this run.
    public var deliveredCount: Int
    /// The server's description of itself.
    public var server: String?
    public var epoch: Int64
    /// Events of this run that require no action, oldest first; the last few.
    public var notices: [SyncNotice]
}
