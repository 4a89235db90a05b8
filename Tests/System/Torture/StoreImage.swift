import CausewayFileStorage
import CausewayModels
import CausewaySQLiteChecksums
import CausewayStorage
import Foundation
import GRDB

/// The store on the disk of a dead daemon: its files are copied first, so that reading changes nothing.
struct StoreImage {
    private static let database = "store.sqlite"

    /// The files of a store: a database and its log, which a dead daemon may have left, or journal and snapshot.
    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            name == database || name == database + "-wal" || name.hasPrefix("journal-") || name == "snapshot"
        }
    }

    let states: [MessageID: SyncState]

    /// Whether messages were being sent to the hub.
    var isSending: Bool { states.values.contains(.syncing) }
    /// Whether anything was left to send.
    var isLoaded: Bool { states.values.contains { $0 == .created || $0 == .syncing } }

    /// - Parameter scratch: a folder for the copy; created and emptied here.
    init(of store: String, scratch: String) async throws {
        try Self.copy(from: store, to: scratch)
        if FileManager.default.fileExists(atPath: scratch + "/" + Self.database) {
            states = try Self.states(database: scratch + "/" + Self.database)
        } else if FileStore.exists(at: scratch) {
            states = try await Self.withFileStore(at: scratch) { store in
                var states: [MessageID: SyncState] = [:]
                for message in try await Self.messages(store, .channel(Self.channel)) {
                    states[message.id] = message.syncState
                }
                return states
            }
        } else {
            states = [:]
        }
    }

    private static func states(database path: String) throws -> [MessageID: SyncState] {
        let database = try DatabaseQueue(path: PageChecksums.address(of: path))
        defer { try? database.close() }
        return try database.read { db in
            var states: [MessageID: SyncState] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT id, sync_state FROM message")
            while let row = try rows.next() {
                guard let value = UUIDv7(bytes: row[0] as Data) else { throw CocoaError(.fileReadCorruptFile) }
                states[MessageID(value)] = try Self.state(row[1])
            }
            return states
        }
    }

    /// Copies the database of a dead daemon. A command may have opened the store meanwhile, and cut off the end of a
    /// file: `copyItem` would wait for ever for what is not there any more.
    static func copy(from folder: String, to other: String) throws {
        let files = FileManager.default
        try? files.removeItem(atPath: other)
        try files.createDirectory(atPath: other, withIntermediateDirectories: true)
        for name in try names(in: folder) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            try bytes.write(to: URL(fileURLWithPath: other + "/" + name))
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other + "/" + name)
        }
    }

    /// Replaces a dead daemon's database by an older copy.
    static func restore(from copy: String, to folder: String) throws {
        for name in try names(in: folder) + ["store.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        for name in try names(in: copy) {
            try FileManager.default.copyItem(atPath: copy + "/" + name, toPath: folder + "/" + name)
        }
    }

    /// Deletes one waiting message from a dead daemon's store.
    ///
    /// - Returns: false when none waits.
    static func deleteOne(of ids: Set<MessageID>, in folder: String) async throws -> Bool {
        guard !FileStore.exists(at: folder) else {
            return try await withFileStore(at: folder) { store in
                let waiting = try await messages(store, .undelivered).first { message in
                    ids.contains(message.id) && message.previousSequence == nil && message.syncState != .syncing
                }
                guard let waiting else { return false }
                try await store.commit([.delete(waiting.id)])
                return true
            }
        }
        let database = try DatabaseQueue(path: PageChecksums.address(of: folder + "/" + database))
        defer { try? database.close() }
        return try await database.write { db in
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

    // MARK: File stores

    private static let channel: ChannelID = {
        guard let channel = ChannelID("general") else { preconditionFailure("it is a name") }
        return channel
    }()

    /// Opens a file store, which ends the attempts under way.
    private static func withFileStore<Value: Sendable>(
        at folder: String, _ body: (FileStore) async throws -> Value
    ) async throws -> Value {
        let store = try await FileStore.open(at: folder, durability: .normal)
        do {
            let failure = Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0))
            _ = try await store.start(
                StartOptions(
                    restart: .resume, failure: failure, newOutboxID: OutboxID(UUIDv7(high: 0x7000, low: 1 << 63))))
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    private static func messages(_ store: FileStore, _ scope: MessageQuery.Scope) async throws -> [Message] {
        var messages: [Message] = []
        var query = MessageQuery(scope: scope, limit: 500)
        while true {
            let page = try await store.page(query)
            messages += page.messages
            guard let next = page.next else { return messages }
            query.after = next
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
