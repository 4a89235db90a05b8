import CausewayBlobs
package import CausewayStorage
import CausewaySystem

/// A folder with a store that no process has open, locked for one tool.
package final class StoreFolderTools: Sendable {
    /// Absolute.
    package let folder: String
    let formats: [any StoreFormat]
    private let lock: FileLock

    /// Locks the folder.
    ///
    /// - Parameter formats: every kind of store that the program has.
    ///
    /// Throws ``StoreError/locked(by:path:)`` while a process has the store open.
    package init(_ folder: String, _ formats: [any StoreFormat]) throws(StoreError) {
        self.folder = folder
        self.formats = formats
        do throws(FileLock.Problem) {
            lock = try FileLock(folder + "/lock")
        } catch {
            switch error {
            case .held(let owner): throw .locked(by: owner, path: folder)
            case .notOpened(let error), .notTaken(let error):
                if error.isNotFound { throw .notAccessible(path: folder, detail: "there is no such folder") }
                throw Self.failure(error, at: folder + "/lock")
            }
        }
    }

    package func close() { lock.unlock() }

    /// The store in the folder; `nil` if there is none.
    package var found: (any StoreFormat)? { formats.first { $0.exists(in: folder) } }

    /// The store in the folder.
    package func required() throws(StoreError) -> any StoreFormat {
        try StoreErasure.complete(in: folder)
        try UnfinishedWork.require(none: folder)
        guard let found else { throw .notAccessible(path: folder, detail: "it contains no store") }
        return found
    }

    /// The kind of store with this name.
    package func format(_ name: String) throws(StoreError) -> any StoreFormat {
        guard let format = formats.first(where: { $0.name == name }) else {
            throw .other(detail: "there is no kind of store \(name)")
        }
        return format
    }

    static func failure(_ error: SystemError, at path: String) -> StoreError {
        error.isFull ? .full(detail: "\(path): \(error)") : .notAccessible(path: path, detail: error.description)
    }
}

/// The marks of a work on a folder that has not ended, which must not be opened as a store meanwhile.
package enum UnfinishedWork {
    /// In a folder that is being filled by a backup.
    static let mark = "unfinished"
    /// In a folder that a backup has filled, until the folder has its name.
    static let backedUp = "backup-complete"
    /// The folder, in that of the store, in which a migration or an import makes the new store.
    static let staging = "migration"
    /// In the staging folder, from the moment when the new store is complete: the name of its kind.
    static let complete = "complete"
    /// In the staging folder, from the moment when everything is copied: the name of the new store's kind.
    static let copied = "copied"

    /// Throws if the folder must not be opened as a store.
    package static func require(none folder: String) throws(StoreError) {
        if FileSystem.exists("\(folder)/\(mark)") {
            throw .notAccessible(path: folder, detail: "it is a backup that was interrupted; remove it")
        }
        if let kind = migration(in: folder) {
            throw .notAccessible(
                path: folder,
                detail: "a migration was interrupted; complete it with `causeway store migrate --to \(kind)`")
        }
    }

    /// The kind of store to which a migration switches that has not ended; `nil` if none has passed its verification.
    static func migration(in folder: String) -> String? { text(of: complete, in: folder) }

    /// The kind of store of which the staging folder contains a complete copy that was not verified; `nil` if it does
    /// not.
    static func copied(in folder: String) -> String? { text(of: copied, in: folder) }

    /// Marks the copy in the staging folder as complete. The caller has made it durable; without the mark it would only
    /// be made again.
    static func markCopied(to kind: String, in folder: String) throws(StoreError) {
        let path = "\(folder)/\(staging)/\(copied)"
        do throws(SystemError) {
            let file = try OpenFile(path, for: .writing, [.create, .noLink])
            _ = try file.write(Array(kind.utf8), at: 0)
            try file.sync()
        } catch {
            throw StoreFolderTools.failure(error, at: path)
        }
    }

    private static func text(of mark: String, in folder: String) -> String? {
        guard let file = try? OpenFile("\(folder)/\(staging)/\(mark)", for: .reading, .noLink),
            let bytes = try? file.bytes(at: 0, count: 32)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The progress of a tool, for a terminal: the step, and the parts of it that are done.
package typealias ToolProgress = (_ step: String, _ done: Int64, _ total: Int64?) -> Void

extension FileSystem {
    /// Creates a folder, or leaves an existing one.
    static func makeFolderIfMissing(_ path: String) throws(SystemError) {
        if !exists(path) { try makeFolder(path) }
    }

    /// Removes a folder with the files in it, and in the folders in it, down to two levels: what the tools make.
    /// Does nothing if there is none.
    ///
    /// - Parameter last: the names of the files in it that are removed after the others.
    static func removeFolderOfTools(_ path: String, last: [String] = []) throws(SystemError) {
        guard exists(path) else { return }
        let found = try names(in: path)
        for name in found.filter({ !last.contains($0) }) + found.filter(last.contains) {
            let file = path + "/" + name
            if try FileStatus(of: file, followsLink: false).kind == .folder {
                for inner in try names(in: file) { try remove(file + "/" + inner) }
                try removeFolder(file)
            } else {
                try remove(file)
            }
        }
        try removeFolder(path)
    }
}
