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
    ///
    /// - Parameter changesNothing: whether an erasure that was interrupted is reported as an error. Otherwise it is
    ///   completed.
    package func required(changesNothing: Bool = false) throws(StoreError) -> any StoreFormat {
        if changesNothing, StoreErasure.isUnfinished(in: folder) {
            throw .notAccessible(
                path: folder, detail: "its erasure was interrupted; it is completed when a store is opened there")
        }
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
