import CausewaySQLiteChecksums
import CausewayStorage
import GRDB

extension StoreError {
    /// Runs `body`, and converts SQLite's errors to ``StoreError``.
    static func catching<Value>(_ path: String, _ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    init(_ error: any Error, path: String) {
        if let error = error as? StoreError {
            self = error
            return
        }
        if let row = error as? UnreadableRow {
            self = .damaged(path: path, detail: "row \(row.key) of \(row.table) cannot be read")
            return
        }
        guard let error = error as? DatabaseError else {
            self = .other(detail: "\(path): unexpected \(type(of: error))")
            return
        }
        // Never the statement's arguments: they contain users' messages.
        let detail = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        switch error.extendedResultCode {
        case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC, .SQLITE_IOERR_TRUNCATE: self = .syncFailed(detail: detail)
        case .SQLITE_IOERR_SHMSIZE: self = .full(detail: detail)
        case .SQLITE_IOERR_DATA:
            self = .damaged(path: path, detail: PageChecksums.damage(to: path)?.description ?? detail)
        case .SQLITE_IOERR_CORRUPTFS: self = .damaged(path: path, detail: detail)
        default:
            switch error.resultCode {
            case .SQLITE_ERROR where Self.isAboutSchema(error.message ?? ""):
                self = .damaged(path: path, detail: detail)
            case .SQLITE_FULL: self = .full(detail: detail)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: self = .damaged(path: path, detail: detail)
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
                self = .notAccessible(path: path, detail: detail)
            default: self = .other(detail: detail)
            }
        }
    }

    /// The statements of the store are always the same: what they name is missing, or there already, and what they ask
    /// for is impossible, only in a database whose own description is damaged.
    private static func isAboutSchema(_ message: String) -> Bool {
        message.hasSuffix("already exists") || damagedSchema.contains { message.hasPrefix($0) }
    }

    private static let damagedSchema = [
        "no such ", "duplicate column", "unknown function", "no query solution", "unsupported file format",
    ]
}
