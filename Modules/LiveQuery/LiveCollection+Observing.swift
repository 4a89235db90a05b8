extension LiveCollection {
    /// Calls `body` on the main actor for every update: first with the complete contents, as soon as there is anything
    /// to report, and never before this returns.
    ///
    /// - Returns: a token that keeps the observation, and with it the collection, alive.
    public func observe(
        _ body: @escaping @MainActor (LiveCollection, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        token(
            core.add(.all, isReplayed: true) { [weak self] change in
                if let self { body(self, change) }
                return false
            })
    }

    /// Calls `body` on the main actor once: with the stored records, if there are any, otherwise with the server's
    /// response.
    ///
    /// - Returns: a token that keeps the observation alive until then.
    public func observeOnce(
        _ body: @escaping @MainActor (LiveCollection, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        token(
            core.add(.all, isReplayed: true) { [weak self] change in
                guard change.status.isNotifying else { return false }
                if let self { body(self, change) }
                return true
            })
    }

    private func token(_ validity: Validity) -> NotificationToken {
        NotificationToken(validity, of: self) { [lifetime = core.lifetime] in lifetime.requestTurn() }
    }

    /// The changes from now on, for any task, at its own pace. See ``LiveChanges``.
    public nonisolated var changes: LiveChanges<Record> { LiveChanges(source: core.source, lifetime: core.lifetime) }

    // MARK: - Events

    /// Calls `handler` on the main actor whenever the event happens, until ``removeAllListeners(_:)`` or ``dispose()``.
    public func on<Payload>(
        _ event: LiveEvent<Record, Payload>, _ handler: @escaping @MainActor (Payload) -> Void
    ) {
        _ = core.add(event.step, isReplayed: false) { change in
            if let payload = event.payload(change) { handler(payload) }
            return false
        }
    }

    /// Calls `handler` on the main actor the next time the event happens.
    public func once<Payload>(
        _ event: LiveEvent<Record, Payload>, _ handler: @escaping @MainActor (Payload) -> Void
    ) {
        _ = core.add(event.step, isReplayed: false) { change in
            guard let payload = event.payload(change) else { return false }
            handler(payload)
            return true
        }
    }

    /// Removes the listeners of one event, or of all if none is given. Observers with a token are not affected.
    public func removeAllListeners(_ event: LiveEventName? = nil) {
        core.removeListeners(event.map { [$0.step] } ?? Set(LiveEventName.allCases.map(\.step)))
    }
}

extension LiveStatus {
    /// True if there is anything to show, or nothing more to wait for.
    var isNotifying: Bool { data != .notExist || loading != .loading }
}
