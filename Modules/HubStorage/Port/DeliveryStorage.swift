/// The application of deliveries: load, decide in memory, store.
package protocol DeliveryStorage: Sendable {
    /// Runs one transaction: loads what the keys name, calls `decide` with it, and stores the changes.
    ///
    /// The decision is synchronous and sees only what was loaded, so that a storage behind a network, too, needs one
    /// exchange for loading and one for storing; between the two nothing that was loaded may change. `decide` has no
    /// effects: a storage may call it again when it has to repeat the transaction, and only the last result counts.
    ///
    /// May block the thread of the caller until everything is on the disk, and call `decide` there: to be called from
    /// an actor with a thread of its own, not from one that other requests need.
    ///
    /// Empty changes need no commit. On return `opening` names the commit of the changes or a later one; without
    /// changes the last one that is stored, also if it had not been confirmed, and never one that is not.
    ///
    /// Cost: a few statements for each kind of key and of change, however many there are.
    ///
    /// - Throws: `outcomeUnknown` when the commit failed. After every other error nothing is stored.
    func transact<Value: Sendable>(
        loading keys: DeliveryKeys, _ decide: @escaping @Sendable (DeliveryState) -> DeliveryDecision<Value>
    ) async throws(HubStorageError) -> Value
}

/// The result of a decision: the changes to store, and a value for the caller.
package struct DeliveryDecision<Value: Sendable>: Sendable {
    package var changes: DeliveryChanges
    package var value: Value

    package init(changes: DeliveryChanges, value: Value) {
        self.changes = changes
        self.value = value
    }
}
