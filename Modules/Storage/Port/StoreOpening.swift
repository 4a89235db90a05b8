public import CausewayModels

/// How a run begins on a store.
public struct StoreOpening: Sendable, Hashable {
    public var restart: RestartPolicy
    /// What messages get that ``RestartPolicy/fail`` gives up.
    public var failure: Failure
    /// A fresh identifier; becomes the outbox's id when the store is new, and is ignored otherwise.
    public var newOutboxID: OutboxID

    public init(restart: RestartPolicy, failure: Failure, newOutboxID: OutboxID) {
        self.restart = restart
        self.failure = failure
        self.newOutboxID = newOutboxID
    }
}
