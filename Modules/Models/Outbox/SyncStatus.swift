/// The state of the engine at one moment.
public struct SyncStatus: Sendable, Hashable, Codable {
    /// One lane of the outbox.
    public struct Lane: Sendable, Hashable, Codable {
        /// The name of the lane.
        public var lane: LaneID
        /// Links that the server has not confirmed.
        public var depth: Int
        /// The oldest waiting message.
        public var head: MessageID?
        /// The reason why the head waits; `nil` if it does not.
        public var headWait: WaitReason?

        package init(lane: LaneID, depth: Int, head: MessageID?, headWait: WaitReason?) {
            self.lane = lane
            self.depth = depth
            self.head = head
            self.headWait = headWait
        }
    }

    /// The active session; `nil` while no user is logged in.
    public var session: Session?
    /// The connection to the server.
    public var connectivity: Connectivity
    /// A condition that a user or an operator must resolve; `nil` if there is none.
    public var actionRequired: ActionRequired?
    /// True while the user or an operator has paused sending.
    public var isPaused: Bool
    /// The reason why nothing at all is sent; `nil` if there is none.
    public var waitReason: WaitReason?
    /// The current problem of the store; `nil` if there is none.
    public var storeProblem: String?
    /// The operations in the outbox, by state.
    public var counts: StoreCounts
    /// The lanes with links, in no order.
    public var lanes: [Lane]
    /// Messages that the server confirmed in this run.
    public var deliveredCount: Int
    /// The server's description of itself, and how requests travel at present if there are several ways:
    /// `causeway-hub/1.0 over WebSocket`. `nil` until it was reached.
    public var server: String?
    /// The number of the opening of the store.
    public var epoch: Int64
    /// Events of this run that require no action, oldest first; the last few.
    public var notices: [SyncNotice]
    /// Whether changes on the server arrive by themselves.
    public var events: EventsStatus

    package init(
        session: Session?, connectivity: Connectivity, actionRequired: ActionRequired?, isPaused: Bool,
        waitReason: WaitReason?, storeProblem: String?, counts: StoreCounts, lanes: [Lane], deliveredCount: Int,
        server: String?, epoch: Int64, notices: [SyncNotice],
        events: EventsStatus
    ) {
        self.session = session
        self.connectivity = connectivity
        self.actionRequired = actionRequired
        self.isPaused = isPaused
        self.waitReason = waitReason
        self.storeProblem = storeProblem
        self.counts = counts
        self.lanes = lanes
        self.deliveredCount = deliveredCount
        self.server = server
        self.epoch = epoch
        self.notices = notices
        self.events = events
    }
}

/// An event of the outbox that requires no action.
public struct SyncNotice: Sendable, Hashable, Codable {
    /// The kinds of notices.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Another copy of this store has delivered: it was restored from a backup, or copied. The outbox continues
        /// under a new id; nothing is delivered twice.
        case storeCopied
        /// The server's data were restored from a backup. Messages that it lost and this store still has are delivered
        /// again, in their order; so are deletions.
        case serverRestored
        /// Another server responds under the same address. Messages delivered from here are delivered again.
        case serverReplaced
        /// The store lost its most recent commits: part of its files was lost by the disk or removed.
        case storeLostCommits
    }

    /// The kind of the event.
    public let kind: Kind
    /// The time of the event, by this device.
    public let at: Timestamp
    /// A description of the event.
    public let detail: String

    package init(kind: Kind, at: Timestamp, detail: String) {
        self.kind = kind
        self.at = at
        self.detail = detail
    }
}

/// The engine's view of the connection to the server.
public enum Connectivity: Sendable, Hashable, Codable {
    /// Not tried yet.
    case unknown
    /// Not reachable; `detail` describes why.
    case offline(detail: String, since: Timestamp, nextProbe: Timestamp?)
    /// Reachable again, for less than the required stable time.
    case settling(until: Timestamp)
    /// Reachable.
    case online
}
