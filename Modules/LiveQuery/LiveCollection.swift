public import CausewayModels
public import Observation

/// A list that keeps itself up to date: it shows stored records at once, the server's as soon as it responds, and every
/// change from then on.
///
/// It starts when it is created, and remains active as long as a reference to it, one of its tokens or one of its
/// iterators exists. There are three ways to observe it, for any number of observers:
///
/// ```swift
/// let token = collection.observe { collection, change in … }      // called on the main actor
/// for await change in collection.changes { … }                    // in any task, at its own pace
/// Text("\(collection.snapshots.count)")                           // as observable properties
/// ```
///
/// Guarantees:
/// - Its contents correspond to one version of the store, as do those of all collections of a client within one turn of
///   the main actor. Versions only grow.
/// - Within one update `loadingStatus` is set first, then `dataStatus`, then the data, and those only if they differ.
/// - A snapshot never changes.
/// - Slow observers receive one change from the state that they saw last to the current one. Writers never wait for
///   observers.
///
/// Cost of a change: O(log n) for n records in the window, plus the size of the change. Only the window is in memory.
@MainActor @Observable
public final class LiveCollection<Record: LiveRecord> {
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
    /// The records in the window, in order.
    public var snapshots: LiveSnapshot<Record> {
        access(keyPath: \.snapshots)
        return shownSnapshot
    }
    /// True if there is another page after the last record. False until the first query has ended.
    public var hasNext: Bool {
        access(keyPath: \.hasNext)
        return shown.hasNext
    }
    /// True if there is another page before the first record. False until the first query has ended.
    public var hasPrevious: Bool {
        access(keyPath: \.hasPrevious)
        return shown.hasPrevious
    }
    /// True while a page after the last record is being loaded.
    public var isLoadingNext: Bool {
        access(keyPath: \.isLoadingNext)
        return shown.isLoadingNext
    }
    /// True while a page before the first record is being loaded.
    public var isLoadingPrevious: Bool {
        access(keyPath: \.isLoadingPrevious)
        return shown.isLoadingPrevious
    }
    /// The reason why the store or the server could not be asked, or why another page could not be requested
    /// (`ClientError.windowFull`); otherwise `nil`.
    package var underlyingError: (any Error)? {
        access(keyPath: \.underlyingError)
        return shown.error
    }

    /// The commit of the store that the contents correspond to. Not observed by itself: if a commit changes nothing
    /// here, it may lag behind.
    public var version: Int64 { core.displayed?.version ?? 0 }

    /// Observed manually, here and below: the setter that the macro generates compares the old list with the new one,
    /// row by row, and the key path of a generic type is built anew at each access, even to compare two values.
    @ObservationIgnored private var shownSnapshot = LiveSnapshot<Record>()
    @ObservationIgnored private var shown = ShownStatus()
    /// True after ``resetPage()`` until the next update: the earlier state has no information about its pages.
    @ObservationIgnored var isResetting = false
    @ObservationIgnored let core: ObservationCore<Record>

    init(core: ObservationCore<Record>) {
        self.core = core
        core.onApply = { [weak self] in self?.apply($0) }
    }

    private func apply(_ change: LiveCollectionChange<Record>) {
        isResetting = false
        show(loading: change.loadingStatus, data: change.dataStatus)
        if LiveStep.error.isDue(in: change) || (shown.error != nil && change.underlyingError == nil) {
            withMutation(keyPath: \.underlyingError) { shown.error = change.underlyingError }
        }
        show(hasNext: change.hasNext, hasPrevious: change.hasPrevious)
        show(isLoadingNext: change.isLoadingNext, isLoadingPrevious: change.isLoadingPrevious)
        if !change.isDataUnchanged { withMutation(keyPath: \.snapshots) { shownSnapshot = change.snapshot } }
    }

    private func show(loading: LoadingStatus, data: DataStatus) {
        if shown.loading != loading { withMutation(keyPath: \.loadingStatus) { shown.loading = loading } }
        if shown.data != data { withMutation(keyPath: \.dataStatus) { shown.data = data } }
    }

    private func show(hasNext: Bool, hasPrevious: Bool) {
        if shown.hasNext != hasNext { withMutation(keyPath: \.hasNext) { shown.hasNext = hasNext } }
        if shown.hasPrevious != hasPrevious {
            withMutation(keyPath: \.hasPrevious) { shown.hasPrevious = hasPrevious }
        }
    }

    private func show(isLoadingNext: Bool, isLoadingPrevious: Bool) {
        if shown.isLoadingNext != isLoadingNext {
            withMutation(keyPath: \.isLoadingNext) { shown.isLoadingNext = isLoadingNext }
        }
        if shown.isLoadingPrevious != isLoadingPrevious {
            withMutation(keyPath: \.isLoadingPrevious) { shown.isLoadingPrevious = isLoadingPrevious }
        }
    }

    // MARK: - The window

    /// True while the store or the server is being asked.
    public var isLoading: Bool { loadingStatus == .loading }

    /// Waits until the stored records are displayed, which needs no network; returns at once if they are. Ends early if
    /// the calling task is cancelled.
    ///
    /// ```swift
    /// let messages = await client.messages.getMessages(in: general).ready()    // shows what is stored
    /// ```
    ///
    /// - Returns: the collection itself.
    @discardableResult
    public func ready() async -> LiveCollection {
        await core.ready()
        return self
    }

    /// The number of records in the window.
    public var count: Int { snapshots.count }

    /// The record at an index of ``snapshots``; `nil` if there is none.
    public func object(at index: Int) -> Record? {
        index >= 0 && index < snapshots.count ? snapshots[index] : nil
    }

    /// All records of the window, in order. Cost: linear; ``snapshots`` costs nothing.
    public func allObjects() -> [Record] { Array(snapshots) }

    // MARK: - The end

    /// Ends the collection permanently: both statuses become `error`, no observer is called any more, and every
    /// iterator ends. The last displayed records can still be read.
    public func dispose() {
        if core.isDisposed { return }
        core.dispose()
        isResetting = false
        show(loading: .error, data: .error)
        show(hasNext: false, hasPrevious: false)
        show(isLoadingNext: false, isLoadingPrevious: false)
    }
}

/// The displayed properties of a live collection or object except its data.
struct ShownStatus {
    var loading = LoadingStatus.loading
    var data = DataStatus.notExist
    var hasNext = false
    var hasPrevious = false
    var isLoadingNext = false
    var isLoadingPrevious = false
    var error: (any Error)?
}
