public import CausewayModels

/// The outbox as it stands in the store: what the outbox machine starts from.
public struct OutboxSnapshot: Sendable, Equatable {
    /// A failed message that pauses its lane: its ``Message/failure`` says so, and it is `error`.
    public struct LanePause: Sendable, Hashable {
        public var lane: LaneID
        public var message: MessageID

        public init(lane: LaneID, message: MessageID) {
            self.lane = lane
            self.message = message
        }
    }

    public var outboxID: OutboxID
    /// Grows by one with each ``Store/begin(_:)``; a server without lineage refuses an older one.
    public var epoch: Int64
    public var lineage: Lineage
    /// The highest lane sequence that was ever transmitted, per lane.
    public var lastTransmitted: [LaneID: Int64]
    /// Everything that still has to be said to the server, by ascending sequence; a message goes before a control
    /// entry of the same sequence.
    public var entries: [OutboxEntry]
    /// What pauses which lane, in the order in which the messages were created.
    public var pauses: [LanePause]
    /// The last history that the server named; `nil` before it named one.
    public var history: ServerHistory?
    /// The loss that the store found since it was open last, in words. Told once, by
    /// ``Store/begin(_:)``; `nil` when nothing is known to be lost.
    public var loss: String?

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
}
