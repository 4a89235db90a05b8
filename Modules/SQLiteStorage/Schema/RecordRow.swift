import CausewayModels
import Foundation

/// Coding of a row of the table `record`.
enum RecordRow {
    /// The columns in the order in which ``record(_:kind:in:)`` reads them.
    static let columns = "record.record, record.version, record.value, record.entries"

    /// The column after ``columns`` in a page of a list: the record's key there.
    static let entryKey: Int32 = 4

    /// A list entry in the column `entries`.
    struct Entry: Codable {
        var name: String
        var scope: String
        /// Base64.
        var key: String

        init(_ entry: ListEntry) {
            name = entry.name
            scope = entry.scope
            key = Data(entry.key.bytes).base64EncodedString()
        }

        /// `nil` if the key is not Base64.
        var entry: ListEntry? {
            Data(base64Encoded: key).map { ListEntry(name, scope: scope, key: ListKey(bytes: Array($0))) }
        }
    }

    /// Equal entries have equal text.
    static func encode(_ entries: [ListEntry]) throws -> String {
        String(decoding: try JSONCoding.encode(entries.map(Entry.init)), as: UTF8.self)
    }

    /// A record of which the entries cannot be read is in no list except `found`, through which it was found: it does
    /// not hide the others there.
    static func record(_ row: borrowing StatementRow, kind: RecordKind, in found: ListEntry? = nil) -> StoredRecord {
        let stored = try? StoredJSON.decode([Entry].self, row.data(3), table: "record", key: 0)
        return StoredRecord(
            kind: kind, id: row.text(0), version: row.int64(1), value: row.data(2),
            entries: stored?.compactMap(\.entry) ?? [found].compactMap(\.self))
    }
}
