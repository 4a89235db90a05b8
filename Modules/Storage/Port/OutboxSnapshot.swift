public import CausewayModels

/// The outbox as stored: the initial state of the outbox machine.
public struct OutboxSnapshot: Sendable, Equatable {
    /// A message in state `error` that pauses its lane, as its ``Message/failure`` records.
    public struct LanePause: Sendable, Hashable {
        /// The lane that is paused.
        public var lane: LaneID
        /// The failed message that pauses it.
        public var message: MessageID

        /// Creates a pause; see the properties.
        public init(lane: LaneID, message: MessageID) {
            self.lane = lane
            self.message = message
        }
    }

    /// The id of the outbox.
    public var outboxID: OutboxID
    /// Incremented by each ``Store/start(_:)``; a server without lineage refuses an older one.
    public var epoch: Int64
    /// The openings of the store.
    public var lineage: Lineage
    /// The highest lane sequence that was ever transmitted, for each lane.
    public var lastTransmitted: [LaneID: Int64]
    /// All requests that the server has not confirmed, by ascending sequence; a message precedes a control entry of the
    /// same sequence.
    public var entries: [OutboxEntry]
    /// The paused lanes and the messages that pause them, in the order in which the messages were created.
    public var pauses: [LanePause]
    /// The last history that the server named; `nil` if it has named none yet.
    public var history: ServerHistory?
    /// The cursor up to which the server's events are stored; `nil` if none was taken in this history of the server.
    public var eventCursor: EventCursor?
    /// A description of data lost since the store was last open, as far as the store detected it. Reported once, by
    /// ``Store/start(_:)``; `nil` if no loss is known.
    public var loss: String?

    /// Creates a snapshot without history, event cursor and loss; set these properties afterwards.
    public init(
        outboxID: OutboxID, epoch: Int64, lastTransmitted: [LaneID: Int64], entries: [OutboxEntry],
        pauses: [LanePause] = [], lineage: Lineage = Lineage()
    ) {
        self.outboxID = outboxID
        self.epoch = epoch
        self.lastTransmitted = lastTransmitted
        self.entries = entries
        self.pauses = pauses
        self.lineage = lineage
    }

    /// The description of a loss of durable commits.
    ///
    /// - Parameters:
    ///   - log: the part of the store that lacks them.
    ///   - detail: how that shows.
    package static func loss(of log: String, _ detail: String) -> String {
        "the \(log) lost commits (\(detail)): the latest writes may be lost; "
            + "compare with the server, and restore a backup if there is a newer one"
    }
}
