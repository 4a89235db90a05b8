import CausewayModels
import Foundation
import GRDB
import GRDBSQLite

/// The current row of a running statement; its columns are read by their index.
///
/// The tables are strict: a column has the type that its declaration names, or is null. A null read as a number is 0,
/// as a text it is empty.
struct StatementRow: ~Copyable {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement.sqliteStatement, column) == SQLITE_NULL
    }

    func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement.sqliteStatement, column) }

    func int64IfPresent(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    func text(_ column: Int32) -> String { unsafe String(decoding: bytes(column), as: UTF8.self) }

    func textIfPresent(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// A text's UTF-8, or a blob.
    func data(_ column: Int32) -> Data { unsafe Data(bytes(column)) }

    func dataIfPresent(_ column: Int32) -> Data? { isNull(column) ? nil : data(column) }

    /// The id that ``MessageID/blob`` codes; `nil` for null and for any other bytes.
    func messageID(_ column: Int32) -> MessageID? {
        let bytes = unsafe bytes(column)
        guard bytes.count == 16 else { return nil }
        let high = unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let low = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        return MessageID(UUIDv7(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)))
    }

    func timestampIfPresent(_ column: Int32) -> Timestamp? { int64IfPresent(column).map(Timestamp.init(milliseconds:)) }

    /// True if the column's text equals `text`: avoids creating another string with the same contents.
    func text(_ column: Int32, equals text: String) -> Bool {
        var text = text
        let bytes = unsafe bytes(column)
        return text.withUTF8 { unsafe bytes.elementsEqual($0) }
    }

    /// Valid until the statement is stepped or reset. Empty for null.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(statement.sqliteStatement, column)
        // The number of bytes is that of the form in which the column was last read.
        let count = unsafe sqlite3_column_bytes(statement.sqliteStatement, column)
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
    }
}
