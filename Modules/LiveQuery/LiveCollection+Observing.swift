extension LiveCollection {
    /// Calls `body` on the main actor for every update: first with the complete contents, as soon as there is anything
    /// to report, and never before this returns. While nothing is stored there is nothing to report before the server
    /// has responded.
    ///
    /// - Returns: a token that keeps the observation, and with it the collection, alive.
    public func observe(
        _ body: @escaping @MainActor (LiveCollection, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        core.observe(self) { body($0, $1) }
    }

    /// Calls `body` on the main actor once: with the stored records, if there are any, otherwise with the server's
    /// response.
    ///
    /// - Returns: a token that keeps the observation alive until then.
    public func observeOnce(
        _ body: @escaping @MainActor (LiveCollection, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        core.observe(self, isOnce: true) { body($0, $1) }
    }

    /// The changes from now on, for any task, at its own pace. See ``LiveChanges``.
    public nonisolated var changes: LiveChanges<Record> { LiveChanges(source: core.source, lifetime: core.lifetime) }

    // MARK: - Events

    /// Calls `handler` on the main actor whenever the event happens, until ``removeAllListeners(_:)`` or ``dispose()``.
    public func on<Payload>(
        _ event: LiveEvent<Record, Payload>, _ handler: @escaping @MainActor (Payload) -> Void
    ) {
        core.listen(to: event, handler)
    }

    /// Calls `handler` on the main actor the next time the event happens.
    public func once<Payload>(
        _ event: LiveEvent<Record, Payload>, _ handler: @escaping @MainActor (Payload) -> Void
    ) {
        core.listen(to: event, isOnce: true, handler)
    }

    /// Removes the listeners of one event, or of all if none is given. Observers with a token are not affected.
    public func removeAllListeners(_ event: LiveEventName? = nil) {
        core.removeListeners(of: event)
    }
}
