package import CausewayStorage

extension CausewayClient {
    /// Calls `subscriber` for every commit from now on, in commit order, on the committing thread.
    ///
    /// The subscriber must return quickly and must not call the client. It is released with the subscription.
    package func changes(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        messages.store.subscribe(subscriber)
    }
}
