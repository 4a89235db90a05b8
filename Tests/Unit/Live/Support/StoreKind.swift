import CausewayFileStorage
import CausewayStorage
import CausewayStoreTorture

/// The stores on which live queries are tested.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite, file

    /// Those that wait for no other thread, so that they run in simulated time.
    static let simulated: [StoreKind] = [.memory, .file]

    /// The store of a history in simulated time: every eighth has files, which cost a multiple.
    static func simulated(seed: UInt64) -> StoreKind { seed % 8 == 7 ? .file : .memory }

    /// A new store that has not been started; that of files has a disk in memory.
    ///
    /// - Precondition: it is one of ``simulated``.
    func makeSimulated() throws(StoreError) -> any Store {
        switch self {
        case .memory: MemoryStore()
        case .file: try FileStore(on: FaultyDisk(), durability: .normal)
        case .sqlite: preconditionFailure("SQLite reads on threads of its own")
        }
    }

    /// A new store that has not been started; those on disk in the folder.
    func make(in folder: StoreFolder) async throws(StoreError) -> any Store {
        switch self {
        case .memory: MemoryStore()
        case .sqlite: try await folder.makeStore()
        case .file: try await FileStore.open(at: folder.fresh(), durability: .normal)
        }
    }
}
