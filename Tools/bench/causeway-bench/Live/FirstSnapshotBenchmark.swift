import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import GRDB

/// The time until a new collection of a large store calls its observer with the first page, compared with GRDB reading
/// the same columns of the same rows without decoding them.
struct FirstSnapshotBenchmark {
    private static let pages = [20, 200, 1000]
    private static let rounds = 150

    let store: FilledStore

    @MainActor func run() async throws -> [Goal] {
        let engine = LiveQueryEngine(store: store.store, runtime: SystemRuntime())
        let pool = try DatabasePool(path: store.database)
        var goals: [Goal] = []
        var table = Table("first snapshot", "page", "list", "live µs", "bare query µs", "ratio", "goal")
        for page in Self.pages {
            CausewayBench.progress("first snapshots of \(Figure.grouped(page))")
            let lists = [
                ("newest first", store.newest(in: 0, pageSize: page)),
                ("newest last", store.tail(of: 0, pageSize: page)),
            ]
            var live = Array(repeating: [Double](), count: lists.count)
            var bare: [Double] = []
            for _ in 0..<Self.rounds {
                for (index, (_, query)) in lists.enumerated() { live[index].append(try await open(query, engine)) }
                bare.append(try await query(page, pool))
            }
            for (index, (name, _)) in lists.enumerated() {
                let goal = Goal(
                    name: "first snapshot of \(page), \(name), beside the bare query",
                    ratio: live[index].median / bare.median, bound: .atMost(3))
                goals.append(goal)
                table.add(
                    "\(Figure.grouped(store.messages)) stored", Figure.grouped(page), name,
                    Figure.microseconds(live[index].median), Figure.microseconds(bare.median),
                    Figure.ratio(goal.ratio), goal.verdict)
            }
        }
        table.show()
        try pool.close()
        return goals
    }

    /// Seconds until an observer has the first page.
    @MainActor private func open(_ query: MessagesQuery, _ engine: LiveQueryEngine) async throws -> Double {
        let start = ContinuousClock.now
        let collection = engine.collection(query)
        var token: NotificationToken?
        let end = await withCheckedContinuation { isTold in
            token = collection.observeOnce { _, _ in isTold.resume(returning: ContinuousClock.now) }
        }
        guard collection.count == query.pageSize, query.anchor == .last ? collection.hasPrevious : collection.hasNext
        else { throw BenchError("the first snapshot has \(collection.count) messages") }
        token?.invalidate()
        collection.dispose()
        return (end - start).seconds
    }

    /// Seconds until the main actor has the rows; one more than the page, which shows whether there is another.
    @MainActor private func query(_ page: Int, _ pool: DatabasePool) async throws -> Double {
        let request = SQLRequest<Row>(
            sql: WindowRow.newest, arguments: [store.channels[0].value, page + 1], cached: true)
        let start = ContinuousClock.now
        let rows = try await pool.read { db in try request.fetchAll(db).count }
        let end = ContinuousClock.now
        guard rows == page + 1 else { throw BenchError("the bare query found \(rows) rows") }
        return (end - start).seconds
    }
}
