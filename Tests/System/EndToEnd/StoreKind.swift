import CausewayFileStorage
import CausewaySQLiteStorage
import CausewayStorage

/// The stores on disk, on which clients run; the tests are divided among them.
enum StoreKind: CaseIterable, Sendable {
    case sqlite, file

    func open(at folder: String, durability: Durability) async throws(StoreError) -> any Store {
        switch self {
        case .sqlite: try await SQLiteStore.open(at: folder, durability: durability)
        case .file: try await FileStore.open(at: folder, durability: durability)
        }
    }
}
