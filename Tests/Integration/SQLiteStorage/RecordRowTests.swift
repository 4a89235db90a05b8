import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// The rows of records: their form on the disk, and rows that cannot be read.
struct RecordRowTests {
    private let folder: TemporaryFolder
    private let path: String

    private static let albums = RecordList(kind: "album", name: "byYear", scope: "ann")

    /// Rows as the first layout with records wrote them. Never edited: such stores exist on users' disks.
    private static let rows = """
        INSERT INTO record VALUES (1, 1, 'album', 'b/ä', 7, '{"title":"Blue"}',
         '[{"key":"gAAAAAAAB7M=","name":"byYear","scope":"ann"},{"key":"Qmx1ZQ==","name":"all","scope":""}]');
        INSERT INTO record VALUES (2, 1, 'album', 'a', 9, '{"title":"Low"}',
         '[{"key":"gAAAAAAAB7k=","name":"byYear","scope":"ann"}]');
        INSERT INTO record_entry VALUES (1, 'album', 'byYear', 'ann', x'80000000000007B3', 'b/ä'),
         (1, 'album', 'all', '', x'426C7565', 'b/ä'), (1, 'album', 'byYear', 'ann', x'80000000000007B9', 'a');
        """

    private static let records = [
        StoredRecord(
            kind: "album", id: "b/ä", version: 7, value: Data(#"{"title":"Blue"}"#.utf8),
            entries: [
                ListEntry("byYear", scope: "ann", key: ListKey(1971)), ListEntry("all", key: ListKey("Blue")),
            ]),
        StoredRecord(
            kind: "album", id: "a", version: 9, value: Data(#"{"title":"Low"}"#.utf8),
            entries: [ListEntry("byYear", scope: "ann", key: ListKey(1977))]),
    ]

    init() throws {
        folder = try TemporaryFolder(.memory)
        path = folder.fresh()
    }

    @Test func rowsOfTheFirstLayoutAreRead() async throws {
        try await open { _ in }
        try await change(Self.rows)
        try await open { store in
            let page = try await store.records(RecordListQuery(list: Self.albums))
            #expect(page.records == Self.records)
            #expect(try await store.record("album", "b/ä") == Self.records[0])
        }
    }

    @Test func rowsAreWrittenInTheFormOfTheFirstLayout() async throws {
        try await open { store in try await store.commit([.mergeRecords(RecordMerge(Self.records))]) }
        let written = try await contents()
        try await open { store in
            try await store.commit([.mergeRecords(RecordMerge([], coverage: ListRange(list: Self.albums)))])
        }
        let empty = try await contents()
        #expect(empty.isEmpty)
        try await change(Self.rows)
        let golden = try await contents()
        #expect(golden == written)
    }

    /// A record whose entries cannot be read remains in the list in which it was found, hides no other record there,
    /// and is replaced by the next page.
    @Test(arguments: ["entries = '['", "value = 'no'", "entries = '{}', value = ''"])
    func anUnreadableRowHidesNoOther(_ damage: String) async throws {
        try await open { store in try await store.commit([.mergeRecords(RecordMerge(Self.records))]) }
        try await change("UPDATE record SET \(damage) WHERE record = 'b/ä'")
        try await open { store in
            for limit in [1, 2] {
                let first = try await store.records(RecordListQuery(list: Self.albums, limit: limit))
                #expect(first.records.first?.id == "b/ä")
                #expect(first.records.last == (limit == 1 ? first.records.first : Self.records[1]))
                let query = RecordListQuery(list: Self.albums, after: first.next, limit: limit)
                if limit == 1 { #expect(try await store.records(query).records == [Self.records[1]]) }
            }
            let page = RecordMerge([Self.records[1]], coverage: ListRange(list: Self.albums))
            try await store.commit([.mergeRecords(page)])
            #expect(try await store.records(RecordListQuery(list: Self.albums)).records == [Self.records[1]])
            try await store.commit([.mergeRecords(RecordMerge(Self.records))])
            #expect(try await store.records(RecordListQuery(list: Self.albums)).records == Self.records)
        }
    }

    private func open(_ body: (SQLiteStore) async throws -> Void) async throws {
        let store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        try await body(store)
        await store.close()
    }

    private func change(_ sql: String) async throws {
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// The rows of both tables as text, without the row ids, ordered.
    private func contents() async throws -> [String] {
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        let rows = try await queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT account || kind || record || version || value || entries FROM record UNION ALL
                    SELECT account || kind || name || scope || hex(key) || record FROM record_entry ORDER BY 1
                    """)
        }
        try queue.close()
        return rows
    }
}
