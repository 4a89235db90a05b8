package import CausewayStorage
package import CausewaySystem
import Dispatch

/// The removal of a store from its folder: of everything that any kind of store keeps there, as a whole.
///
/// The mark `erasing` in the folder is the moment of decision. Before it is on the disk nothing has changed; from then
/// on the folder contains no store: whichever store opens it first completes the removal (``complete(in:)``). The steps
/// may be repeated, so it does not matter at which of them a process is killed.
///
/// The folder remains, with its `lock` and with the files that belong to no store.
package struct StoreErasure {
    package static let mark = "erasing"

    private let folder: String
    /// Called before each change of the folder. The change fails with the error that it returns.
    private let beforeStep: (() -> SystemError?)?

    private init(_ folder: String, _ beforeStep: (() -> SystemError?)?) {
        self.folder = folder
        self.beforeStep = beforeStep
    }

    /// The `erase(storeAt:)` of every store on disk: ``run(in:beforeStep:)``, which blocks, on a thread outside of the
    /// shared pool.
    package static func erase(storeAt folder: String) async throws(StoreError) {
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Result { () throws(StoreError) in try run(in: folder) })
            }
        }
        try result.get()
    }

    /// Locks the folder, and removes the store. Does nothing if there is none. Blocks the thread.
    ///
    /// Throws ``StoreError/locked(by:path:)`` while a process has the store open.
    ///
    /// - Parameter beforeStep: only tests set it.
    package static func run(
        in folder: String, beforeStep: (() -> SystemError?)? = nil
    ) throws(StoreError) {
        guard FileSystem.exists(folder) else { return }
        let lock: FileLock
        do throws(FileLock.Problem) {
            lock = try FileLock(folder + "/lock")
        } catch {
            switch error {
            case .held(let owner): throw .locked(by: owner, path: folder)
            case .notOpened(let error), .notTaken(let error): throw failure(error, at: folder + "/lock")
            }
        }
        defer { lock.unlock() }
        let erasure = StoreErasure(folder, beforeStep)
        do throws(SystemError) {
            if try erasure.names().isEmpty { return }
            try erasure.decide()
            try erasure.remove()
        } catch {
            throw failure(error, at: folder)
        }
    }

    /// True if a removal was interrupted.
    package static func isUnfinished(in folder: String) -> Bool { FileSystem.exists(folder + "/" + mark) }

    /// Completes a removal that was interrupted, if there is one. The caller holds the folder's lock.
    package static func complete(in folder: String) throws(StoreError) {
        do throws(SystemError) {
            if try FileSystem.isMissing(folder + "/" + mark) { return }
            try StoreErasure(folder, nil).remove()
        } catch {
            throw failure(error, at: folder)
        }
    }

    private func takeStep() throws(SystemError) {
        if let error = beforeStep?() { throw error }
    }

    private func decide() throws(SystemError) {
        try takeStep()
        try OpenFile(folder + "/" + Self.mark, for: .writing, [.create, .noLink]).sync()
        try takeStep()
        try FileSystem.syncFolder(folder)
    }

    private func remove() throws(SystemError) {
        for name in try names() where name != Self.mark { try remove(folder + "/" + name, depth: 0) }
        try FileSystem.syncFolder(folder)
        try takeStep()
        try FileSystem.removeIfPresent(folder + "/" + Self.mark)
        try FileSystem.syncFolder(folder)
    }

    /// - Parameter depth: of the folder in the store's. A store's own folders are at most ``depthMax`` deep.
    private func remove(_ path: String, depth: Int) throws(SystemError) {
        let isFolder = try FileStatus(of: path, followsLink: false).kind == .folder
        if isFolder, depth < Self.depthMax {
            for name in try FileSystem.names(in: path) { try remove(path + "/" + name, depth: depth + 1) }
        }
        try takeStep()
        if isFolder { try FileSystem.removeFolder(path) } else { try FileSystem.remove(path) }
    }

    private static let depthMax = 3

    private func names() throws(SystemError) -> [String] { try FileSystem.names(in: folder).filter(Self.isOfStore) }

    /// True for the name of a file or a folder that a store, or a tool for stores, makes.
    private static func isOfStore(_ name: String) -> Bool {
        let names = [
            "log-end", "journal.end", "snapshot", "snapshot.new", "blobs", "received", "migration", "unfinished", mark,
        ]
        return names.contains(name) || ["store.sqlite", "journal-", "former-"].contains { name.hasPrefix($0) }
    }

    private static func failure(_ error: SystemError, at path: String) -> StoreError {
        error.isFull ? .full(detail: "\(path): \(error)") : .notAccessible(path: path, detail: error.description)
    }
}
