public import Observation

/// A list that keeps itself up to date: what is stored at once, what the server has as soon as it answers, and every
/// change from then on.
///
/// It begins when it is made, and goes on as long as somebody holds it, one of its tokens or one of its iterators.
/// There are three ways to follow it, and any number of followers:
///
/// ```swift
/// let token = collection.observe { collection, change in … }      // called on the main actor
/// for await change in collection.changes { … }                    // in any task, at its own pace
/// Text("\(collection.snapshots.count)")                           // as observable properties
/// ```
///
/// What holds:
/// - Everything it shows is of one version of the store, and so is everything that all collections of a client show
///   within one turn of the main actor. Versions only grow.
/// - Within one update `loadingStatus` is set first, then `dataStatus`, then the data, and those only if they differ.
/// - A snapshot never changes.
/// - Whoever is slow gets one change from what it saw last to what is there now. Nobody who writes ever waits for it.
///
/// Cost of a change: O(log n) for n records in the window, plus the size of the change. Only the window is in memory.
@MainActor @Observable
public final class LiveCollection<Record: LiveRecord> {
    /// How far loading has come.
    public private(set) var loadingStatus = LoadingStatus.notLoading
    /// Where the data come from.
    public private(set) var dataStatus = DataStatus.notExist
    /// The records in the window, in order.
    public var snapshots: LiveSnapshot<Record> {
        access(keyPath: \.snapshots)
        return shownSnapshot
    }
    /// True when there is another page after the last record. False until the first query has ended.
    public private(set) var hasNext = false
    /// True when there is another page before the first record. False until the first query has ended.
    public private(set) var hasPrevious = false
    /// Why the store or the server could not be asked; `nil` when both could.
    public private(set) var error: (any Error)?

    /// The commit of the store up to which everything here holds. Not observed by itself: where nothing differs, it may
    /// stay behind.
    public var version: Int64 { core.shown?.version ?? 0 }

    /// Observed by hand: the setter that the macro makes compares the old list with the new one, row by row.
    @ObservationIgnored private var shownSnapshot = LiveSnapshot<Record>()
    /// True until something is shown after ``resetPage()``: what was shown before says nothing of its pages.
    @ObservationIgnored private var isResetting = false
    @ObservationIgnored let core: LiveCore<Record>

    init(core: LiveCore<Record>) {
        self.core = core
        core.onShow = { [weak self] in self?.show($0) }
    }

    private func show(_ change: LiveCollectionChange<Record>) {
        isResetting = false
        if loadingStatus != change.loadingStatus { loadingStatus = change.loadingStatus }
        if dataStatus != change.dataStatus { dataStatus = change.dataStatus }
        if LiveStep.error.isDue(in: change) || (error != nil && change.error == nil) { error = change.error }
        if hasNext != change.hasNext { hasNext = change.hasNext }
        if hasPrevious != change.hasPrevious { hasPrevious = change.hasPrevious }
        if !change.isDataUnchanged { withMutation(keyPath: \.snapshots) { shownSnapshot = change.snapshot } }
    }

    // MARK: - The window

    /// How many records the window holds.
    public var count: Int { snapshots.count }

    /// The record at an index of ``snapshots``; `nil` when there is none.
    public func object(at index: Int) -> Record? {
        index >= 0 && index < snapshots.count ? snapshots[index] : nil
    }

    /// All records of the window, in order. Cost: linear; ``snapshots`` costs nothing.
    public func allObjects() -> [Record] { Array(snapshots) }

    /// Widens the window by a page after its last record, and asks the server for it where it has a say. Does nothing
    /// when there is none. Returns at once.
    public func nextPage() { if hasNext || isResetting { core.lifetime.turn(.next) } }

    /// Widens the window by a page before its first record. Does nothing when there is none. Returns at once.
    public func previousPage() { if hasPrevious || isResetting { core.lifetime.turn(.previous) } }

    /// Goes back to the first page alone. Returns at once.
    public func resetPage() {
        if core.isDisposed { return }
        isResetting = true
        core.lifetime.turn(.reset)
    }

    // MARK: - The end

    /// Ends it for good: both statuses become `error`, nobody is called any more, and every iterator ends. What was
    /// shown last can still be read.
    public func dispose() {
        if core.isDisposed { return }
        core.dispose()
        isResetting = false
        loadingStatus = .error
        dataStatus = .error
        hasNext = false
        hasPrevious = false
    }
}
