import Causeway
import CausewayLiveQuery
import CausewayModels
import CausewayStorage

/// A query whose result never changes.
struct ConstantQuery<Record: LiveRecord>: LiveQuery {
    private final class Identity: Sendable {}

    let records: [Record]
    let pageSize: Int
    private let indices: [Record.ID: Int]
    private let identity = Identity()

    /// - Parameter records: of records with equal ids the first one counts.
    init(_ records: [Record], pageSize: Int) {
        var seen: Set<Record.ID> = []
        let distinct = records.filter { seen.insert($0.id).inserted }
        self.records = distinct
        self.pageSize = pageSize
        indices = Dictionary(uniqueKeysWithValues: distinct.indices.map { (distinct[$0].id, $0) })
    }

    static func == (left: ConstantQuery, right: ConstantQuery) -> Bool { left.identity === right.identity }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }

    /// No store reports changes of it.
    var topic: LiveTopic { LiveTopic("constant", .record("")) }
    var direction: LiveDirection { .ascending }
    var anchor: LiveAnchor<Int> { .first }

    func change(in change: RecordChange) -> LiveRecordChange<Record>? { nil }
    func matches(_ record: Record) -> Bool { indices[record.id] != nil }
    func key(of record: Record) -> Int { indices[record.id] ?? 0 }

    func page(
        in store: any Store, from bound: LiveBound<Int>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Record> {
        let step = direction == .ascending ? 1 : -1
        var index =
            switch bound {
            case .at(let key): key
            case .beyond(let key): key + step
            case nil: direction == .ascending ? 0 : records.count - 1
            }
        var found: [Record] = []
        while records.indices.contains(index), found.count < limit {
            found.append(records[index])
            index += step
        }
        return LivePage(records: found, hasMore: records.indices.contains(index))
    }
}

/// A server that never responds, or only with an error.
struct ConstantSource: RemoteSource {
    typealias Key = Int

    let state: ConstantState

    func load(_ page: RemoteSourcePage<Int>, hold: FrameHold) async throws -> LoadedRange<Int> {
        switch state {
        case .loaded: return LoadedRange()
        case .failed(let error): throw error
        case .loading:
            // Ends when the task is cancelled.
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            for await _ in stream {}
            continuation.finish()
            throw CancellationError()
        }
    }
}
