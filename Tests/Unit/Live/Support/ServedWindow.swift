import CausewayLiveQuery
import CausewayModels
import CausewayStorage

/// One window with a server, and its displayed states.
final class ServedWindow {
    let query: MessagesQuery
    let remote: RandomRemote
    let lifetime: LiveLifetime
    private let broadcaster: SnapshotBroadcaster<MessagesQuery>
    private let reader: Int
    private var check: ReaderCheck<MessagesQuery>
    private var last: LiveCollectionChange<Message>?
    /// The account whose records it showed last.
    private var account = 0
    private var seen = Strikes()

    init(_ query: MessagesQuery, _ remote: RandomRemote, _ engine: LiveQueryEngine) {
        self.query = query
        self.remote = remote
        (lifetime, broadcaster) = engine.open(query, isObject: false, remote: remote)
        reader = broadcaster.addReader()
        check = ReaderCheck(query, hasServer: true)
    }

    var status: DataStatus { last?.dataStatus ?? .notExist }
    var loading: LoadingStatus { last?.loadingStatus ?? .loading }
    /// True if the server is not being asked, and did not fail.
    var hasLoaded: Bool { loading == .loaded || loading == .notLoading }
    var hasMore: Bool { last?.hasNext == true || last?.hasPrevious == true }
    /// The positions of the displayed records, oldest first.
    var placed: [Int64] { last?.snapshot.compactMap(\.serverPosition?.position).sorted() ?? [] }

    var strikes: Strikes {
        var strikes = seen
        strikes.add(remote.strikes)
        return strikes
    }

    /// - Parameter current: the account that has been logged in since before the change was published.
    func look(_ timeline: StoreTimeline, _ accounts: [ServedAccount], _ current: Int) throws {
        guard let change = broadcaster.dequeue(reader)?.change() else { return }
        try check.accept(change, timeline)
        if let other = change.snapshot.first(where: { !accounts[current].owns($0) }) {
            throw Violation("\(query): \(accounts[current].name) is shown \"\(other.text)\" of another account")
        }
        if last == nil, change.dataStatus == .fresh, remote.knownTime == nil { seen.note(.freshnessAdopted) }
        if let stored = timeline.moment(change.version)?.messages,
            change.deletions.contains(where: { stored[change.oldSnapshot[$0].id].map(query.matches) ?? false })
        {
            seen.note(.rowsLetGo)
        }
        last = change
        account = current
    }

    /// - Parameter known: the time when the server was last asked for the displayed records.
    func check(_ accounts: [ServedAccount], known: Int) throws {
        guard let change = last, change.dataStatus == .fresh, let first = placed.first, let end = placed.last else {
            return
        }
        let (server, deletedHere) = (accounts[account].server, accounts[account].deletedHere)
        let shown = Dictionary(
            change.snapshot.compactMap { message in message.serverPosition.map { ($0.position, message) } },
            uniquingKeysWith: { one, _ in one })
        guard first > 0, end <= server.entries.count else {
            throw Violation("\(query): a fresh list shows what its server never had: \(placed)")
        }
        for entry in server.entries[Int(first - 1)..<Int(end)] {
            if let message = shown[entry.position] {
                guard entry.said(message.content, from: known) else {
                    throw Violation("\(query): a fresh list of \(known) shows what was so before: \(entry)")
                }
            } else if !entry.isDeleted, !deletedHere.contains(entry.message.id) {
                throw Violation("\(query): a fresh list has holes: \(placed) without \(entry.position)")
            }
        }
    }
}
