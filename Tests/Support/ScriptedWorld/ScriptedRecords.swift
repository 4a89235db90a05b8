package import Causeway
import Foundation

/// The records of every ``ScriptedServer``: one list of a kind of its own.
package enum ScriptedRecords {
    package static let list = RecordList(kind: "scripted", name: "all")
    /// In the order of the list; two share a key.
    package static let ids = ["e", "b/ä", "d", "a", "c"]

    static let all = ids.enumerated().map { index, id in
        RemoteRecord(kind: list.kind, id: id, version: Int64(index + 1), value: Data("{}".utf8))
    }

    private static let cursors = zip(ids, [1, 2, 2, 3, 4]).map { ListCursor(key: ListKey(Int64($1)), id: $0) }

    static func page(_ query: RemoteRecordsQuery) throws(TransportError) -> RemoteRecordsPage {
        guard query.list == list else { throw .refused(code: "listNotFound", detail: "there is no such list") }
        let isAscending = query.order == .ascending
        let places = isAscending ? Array(cursors.indices) : cursors.indices.reversed()
        let rest = places.filter { place in
            query.after.map { isAscending ? $0 < cursors[place] : cursors[place] < $0 } ?? true
        }
        let found = rest.prefix(query.limit)
        return RemoteRecordsPage(
            items: found.map { all[$0] }, next: rest.count > found.count ? found.last.map { cursors[$0] } : nil)
    }
}
