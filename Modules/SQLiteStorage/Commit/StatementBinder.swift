import CausewayModels
import Foundation
import GRDB
import GRDBSQLite

/// The arguments of one execution of a statement, bound in the order of its placeholders.
///
/// For the statements that run for every message: GRDB's arguments put each value into an existential and all of them
/// into an array. SQLite copies each value, so none has to outlive its call.
struct StatementBinder: ~Copyable {
    private let statement: Statement
    private var index: Int32 = 0
    /// The first code that was not `SQLITE_OK`.
    private(set) var failure: Int32?

    fileprivate init(_ statement: Statement) {
        self.statement = statement
    }

    mutating func bind(_ number: Int64?) {
        guard let number else { return bindNull() }
        note(unsafe sqlite3_bind_int64(statement.sqliteStatement, next(), number))
    }

    mutating func bind(_ number: Int) { bind(Int64(number)) }

    mutating func bind(_ flag: Bool) { bind(flag ? Int64(1) : 0) }

    mutating func bind(_ text: String?) {
        guard var text else { return bindNull() }
        text.withUTF8 { bytes in unsafe bind(text: UnsafeRawBufferPointer(bytes)) }
    }

    /// - Parameter utf8: the text's bytes; `nil` binds null.
    mutating func bind(text utf8: Data?) {
        guard let utf8 else { return bindNull() }
        unsafe utf8.withUnsafeBytes { bytes in unsafe bind(text: bytes) }
    }

    mutating func bind(blob bytes: [UInt8]) {
        let index = next()
        let code = unsafe bytes.withUnsafeBytes { bytes in
            // An empty buffer may have no address, which would bind null.
            guard let address = bytes.baseAddress else {
                return unsafe sqlite3_bind_zeroblob(statement.sqliteStatement, index, 0)
            }
            return unsafe sqlite3_bind_blob64(
                statement.sqliteStatement, index, address, sqlite3_uint64(bytes.count), Self.transient)
        }
        note(code)
    }

    /// Binds the id as in ``MessageID/blob``.
    mutating func bind(_ id: MessageID) {
        let index = next()
        let words = (id.value.high.bigEndian, id.value.low.bigEndian)
        let code = unsafe withUnsafeBytes(of: words) { bytes in
            unsafe sqlite3_bind_blob(
                statement.sqliteStatement, index, bytes.baseAddress, Int32(bytes.count), Self.transient)
        }
        note(code)
    }

    private mutating func bindNull() {
        note(unsafe sqlite3_bind_null(statement.sqliteStatement, next()))
    }

    private mutating func bind(text bytes: UnsafeRawBufferPointer) {
        let index = next()
        // An empty buffer may have no address, which would bind null.
        guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else {
            return note(unsafe sqlite3_bind_text(statement.sqliteStatement, index, "", 0, Self.transient))
        }
        note(
            unsafe sqlite3_bind_text64(
                statement.sqliteStatement, index, address, sqlite3_uint64(bytes.count), Self.transient,
                UInt8(SQLITE_UTF8)))
    }

    private mutating func next() -> Int32 {
        index += 1
        return index
    }

    private mutating func note(_ code: Int32) {
        if code != SQLITE_OK, failure == nil { failure = code }
    }

    /// SQLite's `SQLITE_TRANSIENT`: it copies the value before the call returns. The macro is not imported.
    private static var transient: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

extension Database {
    /// Executes a statement that returns no rows.
    ///
    /// - Parameter bind: binds one value for each placeholder.
    /// - Throws: `DatabaseError`, as GRDB does.
    func execute(_ sql: String, binding bind: (inout StatementBinder) throws -> Void) throws {
        try run(sql, binding: bind) { _ in true }
    }

    /// Calls `body` for the rows of a statement, in order, until it returns false.
    ///
    /// Reads columns by their index: GRDB's rows build a dictionary of the names of all columns for each execution.
    ///
    /// - Parameters:
    ///   - bind: binds one value for each placeholder.
    ///   - body: must not run the same statement. The row is valid only during the call.
    /// - Throws: `DatabaseError`, as GRDB does.
    func run(
        _ sql: String, binding bind: (inout StatementBinder) throws -> Void,
        forEachRow body: (borrowing StatementRow) throws -> Bool
    ) throws {
        let statement = try cachedStatement(sql: sql)
        var binder = StatementBinder(statement)
        defer {
            // The step's error is reported already, and the cached statement must not keep the values.
            _ = unsafe sqlite3_reset(statement.sqliteStatement)
            _ = unsafe sqlite3_clear_bindings(statement.sqliteStatement)
        }
        try bind(&binder)
        if let failure = binder.failure { throw error(failure, sql) }
        while true {
            let code = unsafe sqlite3_step(statement.sqliteStatement)
            guard code == SQLITE_ROW else {
                if code == SQLITE_DONE { return }
                throw error(code, sql)
            }
            guard try body(StatementRow(statement)) else { return }
        }
    }

    private func error(_ code: Int32, _ sql: String) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
    }
}
