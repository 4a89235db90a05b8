internal import CausewayModels
internal import GRDB
internal import GRDBSQLite

/// One use of a cached statement: bound in the order of its placeholders, stepped, and read by column number.
///
/// For everything that runs for each message or request: GRDB's arguments put each value into an existential, and its
/// rows look each column up by name. SQLite copies bound values, so none has to outlive its call. Used on the queue of
/// its connection only; ends, with all of its values, when it goes out of scope.
struct SQLStatement: ~Copyable {
    private let db: Database
    private let sql: String
    private let statement: Statement
    private var bound: Int32 = 0
    /// The first code that was not `SQLITE_OK`.
    private var failure: Int32?

    init(_ sql: String, _ db: Database) throws {
        self.db = db
        self.sql = sql
        statement = try db.cachedStatement(sql: sql)
    }

    deinit {
        // The step's error is reported already, and the cached statement must not keep the values.
        _ = unsafe sqlite3_reset(statement.sqliteStatement)
        _ = unsafe sqlite3_clear_bindings(statement.sqliteStatement)
    }

    // MARK: - Values

    mutating func bind(_ number: Int64) {
        note(unsafe sqlite3_bind_int64(statement.sqliteStatement, next(), number))
    }

    mutating func bind(_ number: Int64?) {
        guard let number else { return bindNull() }
        bind(number)
    }

    mutating func bind(_ number: Int) { bind(Int64(number)) }

    mutating func bind(_ flag: Bool) { bind(flag ? Int64(1) : 0) }

    mutating func bind(_ time: Timestamp?) { bind(time?.milliseconds) }

    mutating func bind(_ text: String?) {
        guard var text else { return bindNull() }
        text.withUTF8 { bytes in
            let index = next()
            // An empty buffer may have no address, which would bind null.
            guard let address = bytes.baseAddress else {
                return note(unsafe sqlite3_bind_text(statement.sqliteStatement, index, "", 0, Self.transient))
            }
            unsafe address.withMemoryRebound(to: CChar.self, capacity: bytes.count) { address in
                note(
                    unsafe sqlite3_bind_text64(
                        statement.sqliteStatement, index, address, sqlite3_uint64(bytes.count), Self.transient,
                        UInt8(SQLITE_UTF8)))
            }
        }
    }

    mutating func bind(_ id: UUIDv7?) {
        guard let id else { return bindNull() }
        let index = next()
        let words = (id.high.bigEndian, id.low.bigEndian)
        let code = unsafe withUnsafeBytes(of: words) { bytes in
            unsafe sqlite3_bind_blob(
                statement.sqliteStatement, index, bytes.baseAddress, Int32(bytes.count), Self.transient)
        }
        note(code)
    }

    mutating func bind(_ bytes: [UInt8]) {
        let index = next()
        let code = unsafe bytes.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob64(
                statement.sqliteStatement, index, bytes.baseAddress, sqlite3_uint64(bytes.count), Self.transient)
        }
        note(code)
    }

    private mutating func bindNull() {
        note(unsafe sqlite3_bind_null(statement.sqliteStatement, next()))
    }

    private mutating func next() -> Int32 {
        bound += 1
        return bound
    }

    private mutating func note(_ code: Int32) {
        if code != SQLITE_OK, failure == nil { failure = code }
    }

    // MARK: - Execution

    /// Moves to the next row; false when there is none.
    ///
    /// - Throws: `DatabaseError`, as GRDB does.
    mutating func step() throws -> Bool {
        let code = unsafe failure ?? sqlite3_step(statement.sqliteStatement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage, sql: sql)
        }
    }

    /// Executes a statement that returns no rows, and prepares it for the next values.
    mutating func run() throws {
        _ = try step()
        again()
    }

    /// Prepares it for the next values.
    mutating func again() {
        _ = unsafe sqlite3_reset(statement.sqliteStatement)
        bound = 0
    }

    // MARK: - Columns of the present row

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement.sqliteStatement, column) == SQLITE_NULL
    }

    func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement.sqliteStatement, column) }

    func flag(_ column: Int32) -> Bool { number(column) != 0 }

    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: number(column)) }

    func optionalTime(_ column: Int32) -> Timestamp? { isNull(column) ? nil : time(column) }

    /// The text; `nil` for null.
    func text(_ column: Int32) -> String? {
        guard let address = unsafe sqlite3_column_text(statement.sqliteStatement, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(statement.sqliteStatement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: address, count: count), as: UTF8.self)
    }

    /// The bytes; none for null.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let address = unsafe sqlite3_column_blob(statement.sqliteStatement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement.sqliteStatement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// The identifier; `nil` for null, and for anything but 16 bytes.
    func id(_ column: Int32) -> UUIDv7? {
        guard let address = unsafe sqlite3_column_blob(statement.sqliteStatement, column),
            unsafe sqlite3_column_bytes(statement.sqliteStatement, column) == 16
        else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: 16)
        return unsafe UUIDv7(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// SQLite's `SQLITE_TRANSIENT`: it copies the value before the call returns. The macro is not imported.
    private static var transient: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
