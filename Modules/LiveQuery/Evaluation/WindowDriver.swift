import CausewayModels
import CausewayStorage

/// A window together with its state in the feed, its progress with the server, and the outlet of its frames.
///
/// Confined to the router that owns it.
final class WindowDriver<Query: LiveQuery>: LiveWindow {
    /// An error, as callers see it, with its number.
    struct Trouble {
        var error: any Error
        var number: Int
    }

    let id: Int
    let remote: (any RemoteSource<Query.Key>)?
    let window: Window<Query>
    private let broadcaster: SnapshotBroadcaster<Query>
    let isObject: Bool
    let mapError: @Sendable (any Error) -> any Error

    private var fetched: Window<Query>.Fetched?
    var server: ServerProgress<Query.Key>
    var remoteTrouble: Trouble?
    private(set) var readTrouble: Trouble?
    /// A page was requested beyond the limit.
    var limitTrouble: Trouble?
    private(set) var troubles = 0
    /// Callers that wait for a page.
    var turns: [PageTurn] = []
    /// The outermost keys when pages were last requested.
    var turnEdges: [WindowSide: Query.Key] = [:]
    /// True if the rows may belong to another account, until they have been read again.
    private var isDisowned = false
    /// The frame that was published last.
    private var lastFrame: LiveFrame<Query>

    init(
        id: Int, query: Query, isObject: Bool, broadcaster: SnapshotBroadcaster<Query>,
        remote: (any RemoteSource<Query.Key>)?, bounds: LiveQueryEngine.Bounds,
        mapError: @escaping @Sendable (any Error) -> any Error
    ) {
        self.mapError = mapError
        self.id = id
        self.remote = remote
        self.broadcaster = broadcaster
        self.isObject = isObject
        window = Window(query, bounds: bounds)
        lastFrame = LiveFrame(rows: window.rows)
        server = ServerProgress(isAsked: remote != nil)
    }

    var topic: LiveTopic { window.query.topic }
    var isShown: Bool { lastFrame.status.isOpen }

    // MARK: The feed

    func apply(_ change: RecordChange, isPruning: Bool) {
        remote?.note(change)
        guard let change = window.query.change(in: change) else { return }
        checkPlace(change)
        window.apply(change)
        if isPruning, isObject, change.after == nil { requestPruned() }
    }

    func invalidate() {
        window.invalidate()
        // The unreported changes may include records of the server, and positions as in `checkPlace`.
        if remote != nil, server.loadedRange != nil { server.askAgain(anew: true) }
    }

    func disown() { isDisowned = true }

    // MARK: The store

    var needsReading: Bool { window.need != nil }

    func read(from store: any Store) async {
        guard let need = window.need else { return }
        do throws(StoreError) {
            fetched = try await window.fetch(need, from: store)
            readTrouble = nil
        } catch {
            fetched = nil
            readingFailed(error)
        }
    }

    /// Any failure, including one of a store that is closed for now, may have passed when the read is retried.
    private func readingFailed(_ error: StoreError) { readTrouble = trouble(error) }

    func trouble(_ error: any Error) -> Trouble {
        troubles += 1
        return Trouble(error: mapError(error), number: troubles)
    }

    func integrate() {
        guard let fetched = fetched.take() else { return }
        window.integrate(fetched)
    }

    func invalidateRead(_ error: StoreError) {
        window.invalidate()
        readingFailed(error)
    }

    var hasReadingFailed: Bool { readTrouble != nil }

    // MARK: Frames

    func makeSnapshot(at version: Int64) -> (() -> Void)? {
        if !window.isStale { window.trim() }
        // The failed read may no longer be needed: the window has changed meanwhile.
        if !needsReading { readTrouble = nil }
        checkNewest()
        // Stale rows are displayed at no version; only the failure to read them is reported.
        if window.isStale, readTrouble == nil { return nil }
        let status = status
        if isDisowned, window.isStale { return makeEmptySnapshot(at: version, status) }
        isDisowned = false
        guard !window.touched.isEmpty || !isShown || !status.isSame(as: lastFrame.status) else { return nil }
        let touched = window.isStale ? ChangedRows() : window.takeTouched()
        if window.isStale {
            lastFrame.status = status
        } else {
            lastFrame = LiveFrame(version: version, rows: window.rows, status: status)
        }
        return { [broadcaster, lastFrame] in broadcaster.publish(lastFrame, touched) }
    }

    /// Displays nothing: the rows belonged to another account, and those of this one cannot be read.
    private func makeEmptySnapshot(at version: Int64, _ status: LiveStatus) -> (() -> Void)? {
        var status = status
        status.data = .error
        status.hasNext = false
        status.hasPrevious = false
        status.isLoadingNext = false
        status.isLoadingPrevious = false
        guard !lastFrame.rows.isEmpty || !isShown || !status.isSame(as: lastFrame.status) else { return nil }
        // The next rows are all new.
        window.touchAll()
        var touched = ChangedRows<Query.Record.ID, Query.Key>()
        touched.overflow()
        let nothing = OrderStatisticTree<Query.Key, Query.Record>(isDescending: window.rows.isDescending)
        lastFrame = LiveFrame(version: version, rows: nothing, status: status)
        return { [broadcaster, lastFrame] in broadcaster.publish(lastFrame, touched) }
    }

    private var status: LiveStatus {
        var status = LiveStatus()
        status.isOpen = true
        let trouble = readTrouble ?? remoteTrouble ?? limitTrouble
        status.error = trouble?.error
        status.errorNumber = trouble?.number ?? 0
        status.hasNext = !window.end.isOpen
        status.hasPrevious = !window.start.isOpen
        let isEmpty = window.rows.isEmpty
        if readTrouble != nil {
            status.loading = .error
            status.data = isEmpty ? .error : server.isFresh ? .fresh : .local
            return status
        }
        status.loading =
            if isAskingServer { .loading } else if remoteTrouble != nil { .error } else {
                server.hasResponded ? .loaded : .notLoading
            }
        status.isLoadingNext = status.loading == .loading && window.demand.end > 0
        status.isLoadingPrevious = status.loading == .loading && window.demand.start > 0
        if server.isFresh {
            status.data = isObject && isEmpty ? .notExist : .fresh
        } else if isEmpty {
            status.data = status.loading == .error ? .error : .notExist
        } else {
            status.data = .local
        }
        return status
    }

    func close() {
        broadcaster.finish()
        failTurns(LivePageError.disposed)
    }

    func end(_ error: any Error) -> () -> Void {
        failTurns(error)
        lastFrame.status.data = .error
        lastFrame.status.loading = .error
        lastFrame.status.hasNext = false
        lastFrame.status.hasPrevious = false
        lastFrame.status.isLoadingNext = false
        lastFrame.status.isLoadingPrevious = false
        lastFrame.status.isOpen = true
        let trouble = trouble(error)
        lastFrame.status.error = trouble.error
        lastFrame.status.errorNumber = trouble.number
        return { [broadcaster, lastFrame] in broadcaster.end(lastFrame) }
    }
}
