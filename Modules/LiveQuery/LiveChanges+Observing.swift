import CausewayRuntime

/// Observers off the main actor: on an actor, or on an executor.
extension LiveChanges {
    /// Calls `body` on `actor` for every update: first with the complete contents, as soon as there is anything to
    /// report, and never before this returns. Calls follow one another; while one runs, later updates are merged.
    ///
    /// ```swift
    /// let token = client.messages.messageChanges(in: general).observe(on: archive) { archive, change in
    ///     archive.add(change.snapshot)
    /// }
    /// ```
    ///
    /// - Returns: a token that keeps the observation, and with it the window, alive. After
    ///   ``NotificationToken/invalidate()`` on `actor` no call follows; from elsewhere a call may be under way.
    public func observe<Target: Actor>(
        on actor: Target, _ body: @escaping @Sendable (isolated Target, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        observe { validity, change in await Self.call(body, on: actor, change, validity) }
    }

    /// Calls `body` on threads of `executor`, one call after the other; otherwise like the form for an actor.
    ///
    /// - Returns: a token that keeps the observation, and with it the window, alive. When it is invalidated a call may
    ///   be under way.
    public func observe(
        on executor: any TaskExecutor, _ body: @escaping @Sendable (LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        observe { validity, change in
            await withTaskExecutorPreference(executor) { if validity.isValid { body(change) } }
        }
    }

    private static func call<Target: Actor>(
        _ body: @Sendable (isolated Target, LiveCollectionChange<Record>) -> Void, on actor: isolated Target,
        _ change: LiveCollectionChange<Record>, _ validity: Validity
    ) {
        if validity.isValid { body(actor, change) }
    }

    private func observe(
        _ deliver: @escaping @Sendable (Validity, LiveCollectionChange<Record>) async -> Void
    ) -> NotificationToken {
        let validity = Validity()
        let task = lifetime.runtime.spawn {
            for await change in self {
                guard validity.isValid else { return }
                await deliver(validity, change)
            }
        }
        return NotificationToken(validity, of: lifetime) { task.cancel() }
    }
}

extension LiveCollection {
    /// Calls `body` on `actor` for every update; as ``LiveChanges`` does.
    public nonisolated func observe<Target: Actor>(
        on actor: Target, _ body: @escaping @Sendable (isolated Target, LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        changes.observe(on: actor, body)
    }

    /// Calls `body` on threads of `executor` for every update; as ``LiveChanges`` does.
    public nonisolated func observe(
        on executor: any TaskExecutor, _ body: @escaping @Sendable (LiveCollectionChange<Record>) -> Void
    ) -> NotificationToken {
        changes.observe(on: executor, body)
    }
}

extension LiveObject {
    /// Calls `body` on `actor` for every update; as ``LiveChanges`` does.
    public nonisolated func observe<Target: Actor>(
        on actor: Target, _ body: @escaping @Sendable (isolated Target, LiveObjectChange<Record>) -> Void
    ) -> NotificationToken {
        changes.observe(on: actor) { body($0, LiveObjectChange($1)) }
    }

    /// Calls `body` on threads of `executor` for every update; as ``LiveChanges`` does.
    public nonisolated func observe(
        on executor: any TaskExecutor, _ body: @escaping @Sendable (LiveObjectChange<Record>) -> Void
    ) -> NotificationToken {
        changes.observe(on: executor) { body(LiveObjectChange($0)) }
    }
}
