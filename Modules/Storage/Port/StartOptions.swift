public import CausewayModels

/// The parameters with which a run starts on a store.
public struct StartOptions: Sendable, Hashable {
    /// The treatment of messages that the previous run left undelivered.
    public var restart: RestartPolicy
    /// The failure of messages that fail under ``RestartPolicy/fail``.
    public var failure: Failure
    /// A new identifier; becomes the outbox's id if the store is new, and is ignored otherwise.
    public var newOutboxID: OutboxID
    /// A new identifier of this opening.
    public var opening: OpeningID

    /// - Parameter opening: `nil` derives it from `newOutboxID`, which is new as well.
    public init(restart: RestartPolicy, failure: Failure, newOutboxID: OutboxID, opening: OpeningID? = nil) {
        self.restart = restart
        self.failure = failure
        self.newOutboxID = newOutboxID
        self.opening = opening ?? OpeningID(newOutboxID.value)
    }
}
