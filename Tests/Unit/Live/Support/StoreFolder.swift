import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation

/// A temporary folder for stores, deleted with this object.
final class StoreFolder: Sendable {
    private static let names = ["store.sqlite", "store.sqlite-wal"]
    /// Durability is not tested here.
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(.memory) }

    /// The path of a store that does not exist yet.
    func fresh() -> String { folder.fresh() }

    /// Moves a store's files to a place where it does not find them.
    func takeAway(_ store: String) throws {
        for name in Self.names {
            try FileManager.default.moveItem(atPath: store + "/" + name, toPath: store + "/away-" + name)
        }
    }

    /// Moves them back, replacing files created meanwhile.
    func bringBack(_ store: String) throws {
        let files = FileManager.default
        for name in Self.names + ["store.sqlite-shm"] { try? files.removeItem(atPath: store + "/" + name) }
        for name in Self.names.reversed() where files.fileExists(atPath: store + "/away-" + name) {
            try files.moveItem(atPath: store + "/away-" + name, toPath: store + "/" + name)
        }
    }

    /// A new store that has not been started.
    func makeStore() async throws(StoreError) -> SQLiteStore {
        try await SQLiteStore.open(at: fresh(), durability: .normal)
    }
}
