public import Observation

/// One record that keeps itself up to date: what is stored at once, what the server has as soon as it answers, and
/// every change from then on.
///
/// Everything that is said of ``LiveCollection`` holds for it, too. A record that is deleted while it is watched leaves
/// `snapshot == nil` and `dataStatus == .notExist`.
@MainActor @Observable
public final class LiveObject<Record: LiveRecord> {
    /// How far loading has come.
    public private(set) var loadingStatus = LoadingStatus.notLoading
    /// Where the data come from.
    public private(set) var dataStatus = DataStatus.notExist
    /// The record; `nil` when there is none.
    public private(set) var snapshot: Record?
    /// Why the store or the server could not be asked; `nil` when both could.
    public private(set) var error: (any Error)?

    /// The commit of the store up to which everything here holds. Not observed by itself: where nothing differs, it may
    /// stay behind.
    public var version: Int64 { core.shown?.version ?? 0 }

    @ObservationIgnored let core: LiveCore<Record>

    init(core: LiveCore<Record>) {
        self.core = core
        core.onShow = { [weak self] in self?.show($0) }
    }

    private func show(_ change: LiveCollectionChange<Record>) {
        if loadingStatus != change.loadingStatus { loadingStatus = change.loadingStatus }
        if dataStatus != change.dataStatus { dataStatus = change.dataStatus }
        if LiveStep.error.isDue(in: change) || (error != nil && change.error == nil) { error = change.error }
        if !change.isDataUnchanged { snapshot = change.snapshot.first }
    }

    // MARK: - Observing

    /// Calls `body` on the main actor for every update: first with what is there, as soon as there is something to
    /// tell, and never before this returns.
    ///
    /// - Returns: what keeps the observation, and with it the object, alive.
    public func observe(
        _ body: @escaping @MainActor (LiveObject, LiveObjectChange<Record>) -> Void
    ) -> NotificationToken {
        token(
            core.add(.all, isReplayed: true) { [weak self] change in
                if let self { body(self, LiveObjectChange(change)) }
                return false
            })
    }

    /// Calls `body` on the main actor once: with what is stored, when something is, or else with what the server says.
    ///
    /// - Returns: what keeps the observation alive until then.
    public func observeOnce(
        _ body: @escaping @MainActor (LiveObject, LiveObjectChange<Record>) -> Void
    ) -> NotificationToken {
        token(
            core.add(.all, isReplayed: true) { [weak self] change in
                guard change.status.isTelling else { return false }
                if let self { body(self, LiveObjectChange(change)) }
                return true
            })
    }

    private func token(_ validity: Validity) -> NotificationToken {
        NotificationToken(validity, of: self) { [lifetime = core.lifetime] in lifetime.requestTurn() }
    }

    /// The changes from now on, for any task, at its own pace; as those of a collection of at most one record.
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

    /// Calls `handler` on the main actor when the event happens the next time.
    public func once<Payload>(
        _ event: LiveEvent<Record, Payload>, _ handler: @escaping @MainActor (Payload) -> Void
    ) {
        _ = core.add(event.step, isReplayed: false) { change in
            guard let payload = event.payload(change) else { return false }
            handler(payload)
            return true
        }
    }

    /// Takes out the listeners of one event, or of all when none is named. Observers with a token are not concerned.
    public func removeAllListeners(_ event: LiveEventName? = nil) {
        core.removeListeners(event.map { [$0.step] } ?? Set(LiveEventName.allCases.map(\.step)))
    }

    /// Ends it for good: both statuses become `error`, nobody is called any more, and every iterator ends. What was
    /// shown last can still be read.
    public func dispose() {
        if core.isDisposed { return }
        core.dispose()
        loadingStatus = .error
        dataStatus = .error
    }
}

/// What became of a live object between two looks at it.
public struct LiveObjectChange<Record: LiveRecord>: Sendable {
    /// The commit of the store up to which ``snapshot`` holds. It only grows.
    public let version: Int64
    /// What this observer saw last.
    public let oldSnapshot: Record?
    public let snapshot: Record?
    public let isDataUnchanged: Bool
    public let dataStatus: DataStatus
    public let loadingStatus: LoadingStatus
    /// Why the store or the server could not be asked; `nil` when both could.
    public let error: (any Error)?

    init(_ change: LiveCollectionChange<Record>) {
        version = change.version
        oldSnapshot = change.oldSnapshot.first
        snapshot = change.snapshot.first
        isDataUnchanged = change.isDataUnchanged
        dataStatus = change.dataStatus
        loadingStatus = change.loadingStatus
        error = change.error
    }
}
