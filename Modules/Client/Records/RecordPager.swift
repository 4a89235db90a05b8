import CausewayLiveQuery
import CausewayModels
import CausewayRecords
import CausewayStorage
import CausewaySync
import CausewayTransport

/// The server side of a live list of records: requests pages by key.
struct RecordPager<Value: Record>: RemoteSource {
    typealias Key = ListCursor

    let engine: SyncEngine
    let query: RecordsQuery<Value>

    /// Events bring the kinds that this version knows; an application may read others.
    var following: RemoteFollowing {
        RecordKinds.all.contains { $0.kind == Value.kind } ? RemoteFollowing(engine.followedEvents.phase) : .none
    }

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        let request = request(for: page)
        let response = try await engine.refreshRecords(
            RemoteRecordsQuery(
                list: query.list, order: request.direction == .ascending ? .ascending : .descending,
                after: request.after, limit: request.count),
            interpret: { $0.stored(as: Value.self) }, willStore: { hold.begin() })
        return request.side == .end
            ? LoadedRange(start: request.start, end: response.next) : LoadedRange(start: response.next)
    }

    private struct Request {
        /// The side of the displayed list towards which the page is read.
        enum Side { case start, end }

        var direction: LiveDirection
        var side: Side
        var after: Key?
        /// The start of the displayed range; `nil` if it begins with the list, or is known already.
        var start: Key?
        var count: Int
    }

    private func request(for page: RemoteSourcePage<Key>) -> Request {
        let size = min(max(1, query.pageSize), Limits.pageSizeMax)
        switch page {
        case .first:
            switch query.anchor {
            case .first: return Request(direction: query.direction, side: .end, count: size)
            case .last: return Request(direction: query.direction.opposite, side: .start, count: size)
            case .at(let key):
                let after = key.before(query.direction)
                return Request(direction: query.direction, side: .end, after: after, start: key, count: size)
            }
        case .next(let key, let count):
            return Request(direction: query.direction, side: .end, after: key, count: count)
        case .previous(let key, let count):
            return Request(direction: query.direction.opposite, side: .start, after: key, count: count)
        }
    }
}

/// The server side of one live record. Events need not bring its changes: a record can be visible to an account that
/// does not belong to its topic, such as a public channel to an account that is not a member.
struct RecordFetcher<Value: Record>: RemoteSource {
    typealias Key = Int64

    let engine: SyncEngine
    let id: Value.ID

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        try await engine.refreshRecord(
            Value.kind, id.description, interpret: { $0.stored(as: Value.self) }, willStore: { hold.begin() })
        return LoadedRange()
    }
}

extension RemoteRecord {
    /// The record with its lists; `nil` if its fields cannot be read, or it has more lists than a store takes.
    func stored<Value: Record>(as type: Value.Type) -> StoredRecord? {
        guard kind == Value.kind, let record = Value(value: value, id: id, version: version) else { return nil }
        let stored = record.stored(value: value)
        return stored.entries.count <= Limits.recordListsMax ? stored : nil
    }
}
