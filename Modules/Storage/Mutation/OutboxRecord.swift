public import CausewayModels

/// The data of the current account's outbox as a whole, beside its entries.
public struct OutboxRecord: Sendable, Hashable {
    /// `nil` before the first start.
    public var id: OutboxID?
    /// Common to all accounts.
    public var epoch: Int64
    /// ``Lineage/openedAt`` and ``Lineage/sharedBelow`` are common to all accounts.
    public var lineage: Lineage
    /// The last history that the server named; `nil` if it has named none yet.
    public var history: ServerHistory?
    /// The cursor up to which the server's events are stored; `nil` if none was taken yet.
    public var eventCursor: EventCursor?

    /// The data of a new outbox; see the properties.
    public init(id: OutboxID? = nil, epoch: Int64 = 0, lineage: Lineage = Lineage(), history: ServerHistory? = nil) {
        self.id = id
        self.epoch = epoch
        self.lineage = lineage
        self.history = history
    }
}
