import CausewayModels
import CausewayStorage

/// A window and all that belongs to it: its place in the feed, what the server says, and where its frames go.
///
/// Confined to the router that owns it.
final class WindowDriver<Query: LiveQuery>: LiveWindow {
    /// How far asking the server has come.
    private enum RemoteState {
        /// The server has no say in this.
        case none
        case loading
        case loaded
        case failed
    }

    let id: Int
    let remote: (any LiveRemote)?
    private let window: Window<Query>
    private let outlet: LiveOutlet<Query>
    private let isObject: Bool
    private let plantedFault: LiveFault?

    private var fetched: Window<Query>.Fetched?
    private var remoteState: RemoteState
    private var remotePages: [LiveRemotePage] = []
    /// True when the server's answer was complete once: what is shown is no less fresh while another page is loaded.
    private(set) var isFresh = false
    private var isMoreAtServer = (start: false, end: false)
    private var readError: (any Error)?
    private var remoteError: (any Error)?
    private var errorCount = 0
    /// What was handed over last.
    private var frozen: LiveFrame<Query>

    init(
        id: Int, query: Query, isObject: Bool, outlet: LiveOutlet<Query>, remote: (any LiveRemote)?,
        surplusMax: Int, plantedFault: LiveFault?
    ) {
        self.id = id
        self.remote = remote
        self.outlet = outlet
        self.isObject = isObject
        self.plantedFault = plantedFault
        window = Window(query, surplusMax: surplusMax, plantedFault: plantedFault)
        frozen = LiveFrame(rows: window.rows)
        remoteState = remote == nil ? .none : .loading
        isFresh = remote == nil
        if remote != nil { remotePages = [.first] }
    }

    var topic: LiveTopic { window.query.topic }
    var queryIdentity: AnyHashable { AnyHashable(window.query) }

    // MARK: The feed

    func apply(_ change: RecordChange) {
        guard let change = Query.Record.change(in: change) else { return }
        window.apply(change)
    }

    func invalidate() { window.invalidate() }

    // MARK: The store

    var needsReading: Bool { window.need != nil }

    func read(from store: any Store) async {
        guard let need = window.need else { return }
        do throws(StoreError) {
            fetched = try await window.fetch(need, from: store)
            readError = nil
        } catch {
            fetched = nil
            readError = error
            errorCount += 1
        }
    }

    func integrate() {
        guard let fetched = fetched.take() else { return }
        window.integrate(fetched)
    }

    /// A store that was closed stays so: there is nothing to try again.
    var hasReadingFailed: Bool { readError != nil && (readError as? StoreError) != .closed }

    // MARK: Pages

    func turn(_ page: LivePageJob) {
        switch page {
        case .next: grow(.end, .next, isMoreAtServer.end)
        case .previous: grow(.start, .previous, isMoreAtServer.start)
        case .reset:
            window.reopen()
            guard remote != nil else { return }
            remotePages = [.first]
            remoteState = .loading
        }
    }

    private func grow(_ side: Window<Query>.Side, _ page: LiveRemotePage, _ isMoreAtServer: Bool) {
        window.grow(side)
        guard remote != nil, isMoreAtServer, !remotePages.contains(page) else { return }
        remotePages.append(page)
        remoteState = .loading
    }

    // MARK: The server

    /// The page to ask the server for next; it stays the next one until ``remoteEnded(_:_:)``.
    var nextRemotePage: LiveRemotePage? { remotePages.first }

    func remoteEnded(_ page: LiveRemotePage, _ result: Result<Bool, any Error>) {
        if remotePages.first == page { remotePages.removeFirst() }
        switch result {
        case .success(let isMore):
            remoteState = .loaded
            remoteError = nil
            isFresh = true
            switch page {
            case .next: isMoreAtServer.end = isMore
            case .previous: isMoreAtServer.start = isMore
            case .first:
                switch window.query.anchor {
                case .first: isMoreAtServer.end = isMore
                case .last: isMoreAtServer.start = isMore
                case .at: break
                }
            }
        case .failure(let error):
            remoteState = .failed
            remoteError = error
            errorCount += 1
        }
        if !remotePages.isEmpty { remoteState = .loading }
    }

    /// Another collection of the same query is fresh: the server need not be asked again.
    func adoptFreshness(from other: any LiveWindow) {
        guard let other = other as? WindowDriver<Query> else { return }
        remoteState = .loaded
        remotePages = []
        isFresh = true
        isMoreAtServer = other.isMoreAtServer
    }

    // MARK: Frames

    func freeze(at version: Int64) -> (() -> Void)? {
        if !window.isStale { window.trim() }
        // What failed may be needed no more: the window has changed meanwhile.
        if !needsReading { readError = nil }
        // What is stale is shown at no version at all; only that it could not be read is told.
        if window.isStale, readError == nil { return nil }
        let status = status
        guard !window.touched.isEmpty || !status.isSame(as: frozen.status) else { return nil }
        let touched = window.isStale ? TouchedRows() : window.takeTouched()
        if window.isStale {
            frozen.status = status
        } else {
            frozen = LiveFrame(version: version, rows: window.rows, status: status)
        }
        return { [outlet, frozen] in outlet.publish(frozen, touched) }
    }

    private var status: LiveStatus {
        var status = LiveStatus()
        status.isOpen = true
        status.error = readError ?? remoteError
        status.errorCount = errorCount
        status.hasNext = !window.end.isOpen || isMoreAtServer.end
        status.hasPrevious = !window.start.isOpen || isMoreAtServer.start
        let isEmpty = window.rows.isEmpty
        if readError != nil {
            status.loading = .error
            status.data = isEmpty ? .error : isFresh ? .fresh : .local
            return status
        }
        switch remoteState {
        case .none, .loaded: status.loading = .loaded
        case .loading: status.loading = .loading
        case .failed: status.loading = .error
        }
        if isFresh {
            status.data = isObject && isEmpty ? .notExist : .fresh
        } else if isEmpty {
            status.data = remoteState == .failed ? .error : .notExist
        } else {
            status.data = .local
        }
        return status
    }

    func close() { outlet.finish() }
}

/// A window, whatever it shows.
protocol LiveWindow: AnyObject {
    var id: Int { get }
    var topic: LiveTopic { get }
    var queryIdentity: AnyHashable { get }
    var remote: (any LiveRemote)? { get }
    var isFresh: Bool { get }

    /// Takes in one change of the feed.
    func apply(_ change: RecordChange)
    /// More changed than the feed told.
    func invalidate()

    var needsReading: Bool { get }
    var hasReadingFailed: Bool { get }
    /// Asks the store for what is needed; changes nothing that is shown.
    func read(from store: any Store) async
    /// Takes over what was read. What the feed brought meanwhile must be applied next.
    func integrate()

    func turn(_ page: LivePageJob)
    var nextRemotePage: LiveRemotePage? { get }
    func remoteEnded(_ page: LiveRemotePage, _ result: Result<Bool, any Error>)
    func adoptFreshness(from other: any LiveWindow)

    /// Freezes what is shown, and returns how it is handed over; `nil` when nothing differs.
    func freeze(at version: Int64) -> (() -> Void)?
    func close()
}

/// What somebody asks of the pages of a collection.
package enum LivePageJob: Sendable { case next, previous, reset }
