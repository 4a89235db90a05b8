import CausewayModels
import Foundation
import GRDB

/// The store on the disk of a dead daemon: its database is copied first, so that reading changes nothing.
struct StoreImage {
    /// The files of the store's database; a dead daemon may have left its log.
    static let names = ["store.sqlite", "store.sqlite-wal"]

    let states: [MessageID: SyncState]

    /// Whether messages were being sent to the hub.
    var isSending: Bool { states.values.contains(.syncing) }
    /// Whether anything was left to send.
    var isLoaded: Bool { states.values.contains { $0 == .created || $0 == .syncing } }

    /// - Parameter scratch: a folder for the copy; created and emptied here.
    init(of store: String, scratch: String) throws {
        try Self.copy(from: store, to: scratch)
        guard FileManager.default.fileExists(atPath: scratch + "/" + Self.names[0]) else {
            states = [:]
            return
        }
        let database = try DatabaseQueue(path: scratch + "/" + Self.names[0])
        defer { try? database.close() }
        states = try database.read { db in
            var states: [MessageID: SyncState] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT id, sync_state FROM message")
            while let row = try rows.next() {
                guard let value = UUIDv7(bytes: row[0] as Data) else { throw CocoaError(.fileReadCorruptFile) }
                states[MessageID(value)] = try Self.state(row[1])
            }
            return states
        }
    }

    /// Copies the database of a dead daemon.
    static func copy(from folder: String, to other: String) throws {
        let files = FileManager.default
        try? files.removeItem(atPath: other)
        try files.createDirectory(atPath: other, withIntermediateDirectories: true)
        for name in names where files.fileExists(atPath: folder + "/" + name) {
            try files.copyItem(atPath: folder + "/" + name, toPath: other + "/" + name)
        }
    }

    /// Replaces a dead daemon's database by an older copy.
    static func restore(from copy: String, to folder: String) throws {
        for name in names + ["store.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
            if FileManager.default.fileExists(atPath: copy + "/" + name) {
                try FileManager.default.copyItem(atPath: copy + "/" + name, toPath: folder + "/" + name)
            }
        }
    }

    /// Deletes one waiting message from a dead daemon's database.
    ///
    /// - Returns: false when none waits.
    static func deleteOne(of ids: Set<MessageID>, in folder: String) throws -> Bool {
        let database = try DatabaseQueue(path: folder + "/" + names[0])
        defer { try? database.close() }
        return try database.write { db in
            let waiting = try Data.fetchAll(
                db,
                sql: """
                    SELECT id FROM message WHERE sync_state IN (0, 4) AND previous_sequence IS NULL ORDER BY ordinal
                    """)
            let chosen = waiting.first { UUIDv7(bytes: $0).map { ids.contains(MessageID($0)) } ?? false }
            guard let chosen else { return false }
            try db.execute(sql: "DELETE FROM message WHERE id = ?", arguments: [chosen])
            return true
        }
    }

    private static func state(_ code: Int64) throws -> SyncState {
        switch code {
        case 0: .created
        case 1: .uploading
        case 2: .syncing
        case 3: .synced
        case 4: .error
        default: throw CocoaError(.fileReadCorruptFile)
        }
    }
}
