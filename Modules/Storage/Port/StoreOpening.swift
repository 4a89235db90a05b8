public import CausewayModels

/// How a run begins on a store.
public struct StoreOpening: Sendable, Hashable {
    public var restart: RestartPolicy
    /// What messages get that ``RestartPolicy/fail`` gives up.
    public var failure: Failure
    /// A fresh identifier; becomes the outbox's id when the store is new, and is ignored otherwise.
    public var newOutboxID: OutboxID
    /// A fresh identifier of this opening.
    public var opening: OpeningID

    /// - Parameter opening: the one of `newOutboxID` when `nil`, which is as fresh.
    public init(restart: RestartPolicy, failure: Failure, newOutboxID: OutboxID, opening: OpeningID? = nil) {
        self.restart = restart
        self.failure = failure
        self.newOutboxID = newOutboxID
        self.opening = opening ?? OpeningID(newOutboxID.value)
    }
}
