public import CausewayModels

/// A link of a lane's chain that is not a message: a fence, a retraction or a deletion.
public struct ChainMarker: Sendable, Hashable {
    /// The kind of the request to the server; any but `send`.
    public var kind: OutboxEntry.Kind
    /// The lane of the entry.
    public var lane: LaneID
    /// The number of the entry in its lane.
    public var sequence: Int64
    /// The sequence that was transmitted before it; `nil` before its first attempt.
    public var previous: Int64?
    /// The message that the link concerns; the operation's id if it is an operation on another message.
    public var message: MessageID

    /// - Precondition: the kind is not `send`.
    public init(kind: OutboxEntry.Kind, lane: LaneID, sequence: Int64, previous: Int64?, message: MessageID) {
        precondition(kind != .send, "messages are their own entries")
        self.kind = kind
        self.lane = lane
        self.sequence = sequence
        self.previous = previous
        self.message = message
    }

    /// A link under the new outbox id; see ``Mutation/forkOutbox(_:at:)``.
    ///
    /// A retraction bars late copies under the former id only. A deletion holds under every id: the server remembers it
    /// until the message arrives.
    ///
    /// - Precondition: the entry is not a message.
    package init(forking entry: OutboxEntry, sequence: Int64) {
        self.init(
            kind: entry.kind == .retract ? .delete : entry.kind, lane: entry.lane, sequence: sequence, previous: nil,
            message: entry.message)
    }

    /// The same link as an entry of the outbox machine.
    public var entry: OutboxEntry {
        OutboxEntry(
            kind: kind, lane: lane, sequence: sequence, previous: previous, message: message, attempts: 0, bytes: 0)
    }
}
