public import CausewayModels
public import Observation

/// One record that keeps itself up to date: it shows the stored record at once, the server's as soon as it responds,
/// and every change from then on.
///
/// The guarantees of ``LiveCollection`` apply to it, too. If the record is deleted while it is observed,
/// `snapshot == nil` and `dataStatus == .notExist`.
@MainActor @Observable
public final class LiveObject<Record: LiveRecord> {
    /// The progress of loading.
    public var loadingStatus: LoadingStatus {
        access(keyPath: \.loadingStatus)
        return shown.loading
    }
    /// The origin of the data.
    public var dataStatus: DataStatus {
        access(keyPath: \.dataStatus)
        return shown.data
    }
    /// The record; `nil` if there is none.
    public var snapshot: Record? {
        access(keyPath: \.snapshot)
        return shownSnapshot
    }
    /// The reason why the store or the server could not be asked; `nil` if both could.
    package var underlyingError: (any Error)? {
        access(keyPath: \.underlyingError)
        return shown.error
    }

    /// The commit of the store that the contents correspond to. Not observed by itself: if a commit changes nothing
    /// here, it may lag behind.
    public var version: Int64 { core.displayed?.version ?? 0 }

    /// Observed manually, for the reason given in ``LiveCollection``.
    @ObservationIgnored private var shownSnapshot: Record?
    @ObservationIgnored private var shown = ShownStatus()
    @ObservationIgnored let core: ObservationCore<Record>

    init(core: ObservationCore<Record>) {
        self.core = core
        core.onApply = { [weak self] in self?.apply($0) }
    }

    private func apply(_ change: LiveCollectionChange<Record>) {
        show(loading: change.loadingStatus, data: change.dataStatus)
        if LiveStep.error.isDue(in: change) || (shown.error != nil && change.underlyingError == nil) {
            withMutation(keyPath: \.underlyingError) { shown.error = change.underlyingError }
        }
        if !change.isDataUnchanged { withMutation(keyPath: \.snapshot) { shownSnapshot = change.snapshot.first } }
    }

    private func show(loading: LoadingStatus, data: DataStatus) {
        if shown.loading != loading { withMutation(keyPath: \.loadingStatus) { shown.loading = loading } }
        if shown.data != data { withMutation(keyPath: \.dataStatus) { shown.data = data } }
    }

    // MARK: - Waiting

    /// True while the store or the server is being asked.
    public var isLoading: Bool { loadingStatus == .loading }

    /// Waits until the stored record is displayed, which needs no network; returns at once if it is. Ends early if the
    /// calling task is cancelled.
    ///
    /// ```swift
    /// let message = await client.messages.getMessage(id).ready()    // shows what is stored
    /// ```
    ///
    /// - Returns: the object itself.
    @discardableResult
    public func ready() async -> LiveObject {
        await core.ready()
        return self
    }

    /// Asks the server again. Returns at once.
    public func refresh() { core.lifetime.turn(.refresh) }

    /// Asks the server again, and waits until its response is displayed.
    ///
    /// Throws `CancellationError` if the calling task is cancelled, and otherwise a `ClientError`: the reason why the
    /// server or the store could not be asked, and `closed` after ``dispose()``.
    public func refresh() async throws { _ = try await core.turn(.refresh) }

    /// Repeats the request to the server if it failed; otherwise does nothing. Returns at once.
    public func retry() { core.lifetime.turn(.retry) }

    // MARK: - Observing

    /// Calls `body` on the main actor for every update: first with the current state, as soon as there is anything to
    /// report, and never before this returns. While nothing is stored there is nothing to report before the server has
    /// responded.
    ///
    /// - Returns: a token that keeps the observation, and with it the object, alive.
    public func observe(
        _ body: @escaping @MainActor (LiveObject, LiveObjectChange<Record>) -> Void
    ) -> NotificationToken {
        core.observe(self) { body($0, LiveObjectChange($1)) }
    }

    /// Calls `body` on the main actor once: with the stored record, if there is one, otherwise with the server's
    /// response.
    ///
    /// - Returns: a token that keeps the observation alive until then.
    public func observeOnce(
        _ body: @escaping @MainActor (LiveObject, LiveObjectChange<Record>) -> Void
    ) -> NotificationToken {
        core.observe(self, isOnce: true) { body($0, LiveObjectChange($1)) }
    }

    /// The changes from now on, for any task, at its own pace; like those of a collection of at most one record.
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

    /// Ends the object permanently: both statuses become `error`, no observer is called any more, and every iterator
    /// ends. The last displayed record can still be read.
    public func dispose() {
        if core.isDisposed { return }
        core.dispose()
        show(loading: .error, data: .error)
    }
}

/// The difference between two states of a live object, as seen by one observer.
public struct LiveObjectChange<Record: LiveRecord>: Sendable {
    /// The commit of the store that ``snapshot`` corresponds to. It only grows.
    public let version: Int64
    /// The state that this observer saw last.
    public let oldSnapshot: Record?
    /// The present state; `nil` if the record does not exist.
    public let snapshot: Record?
    /// True if both snapshots are equal.
    public let isDataUnchanged: Bool
    /// The origin of the data.
    public let dataStatus: DataStatus
    /// The progress of loading.
    public let loadingStatus: LoadingStatus
    /// The reason why the store or the server could not be asked; `nil` if both could.
    package let underlyingError: (any Error)?

    init(_ change: LiveCollectionChange<Record>) {
        version = change.version
        oldSnapshot = change.oldSnapshot.first
        snapshot = change.snapshot.first
        isDataUnchanged = change.isDataUnchanged
        dataStatus = change.dataStatus
        loadingStatus = change.loadingStatus
        underlyingError = change.underlyingError
    }
}
