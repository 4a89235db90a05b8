import CausewayBlobs
package import CausewayStorage
import CausewaySystem

/// Copies an open store into a folder of its own. The copy appears under its name only when it is complete and durable.
///
/// With the store's files come the files of messages and what is known of servers (`servers.json`, authorities). Tokens
/// are secrets and stay behind: after a restore the user logs in again, and the queue continues.
package struct StoreBackup: Sendable {
    /// The folder of the store.
    private let source: String
    private let target: String
    private var incomplete: String { target + ".incomplete" }

    /// - Parameter target: an absolute path at which there is nothing yet; its parent exists.
    package init(of source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// - Returns: the bytes of the copy.
    package func run(
        _ store: any StoreUpkeep, progress: @escaping @Sendable (UpkeepProgress) -> Void
    ) async throws(StoreError) -> Int64 {
        try begin()
        do throws(StoreError) {
            try await store.copy(to: incomplete, progress: progress)
            return try finish()
        } catch {
            try? removeRemains()
            throw error
        }
    }

    /// In the folder, one or the other from its beginning until the copy has its name. So the remains of a backup that
    /// was interrupted at any moment are recognised as such.
    private static let marks = [UnfinishedWork.mark, UnfinishedWork.backedUp]

    /// True if the folder was made by a backup: it has a mark; or it contains nothing, because it was made, or nearly
    /// removed, when the backup was interrupted. Whoever tries to open it as a store leaves a lock in it.
    private func isOfBackup() throws(SystemError) -> Bool {
        let names = try FileSystem.names(in: incomplete)
        return names.contains(where: Self.marks.contains) || names.allSatisfy { $0 == "lock" }
    }

    private func removeRemains() throws(SystemError) {
        try FileSystem.removeFolderOfTools(incomplete, last: Self.marks)
    }

    private func begin() throws(StoreError) {
        if FileSystem.exists(target) {
            throw .notAccessible(path: target, detail: "it exists already; a backup replaces nothing")
        }
        let isOfBackup: Bool
        do throws(SystemError) { isOfBackup = try FileSystem.exists(incomplete) ? self.isOfBackup() : true } catch {
            throw StoreFolderTools.failure(error, at: incomplete)
        }
        if !isOfBackup {
            throw .notAccessible(path: incomplete, detail: "it exists already, and no backup made it")
        }
        do throws(SystemError) {
            try removeRemains()
            try FileSystem.makeFolder(incomplete)
            try OpenFile("\(incomplete)/\(UnfinishedWork.mark)", for: .writing, [.create, .exclusive]).sync()
            try FileSystem.syncFolder(incomplete)
        } catch {
            throw StoreFolderTools.failure(error, at: incomplete)
        }
    }

    private func finish() throws(StoreError) -> Int64 {
        do throws(SystemError) {
            for name in try FileSystem.names(in: source) where Self.isKnowledge(name) {
                try Self.copy(source + "/" + name, to: incomplete + "/" + name)
            }
            var bytes: Int64 = 0
            for folder in [incomplete, incomplete + "/blobs"] where FileSystem.exists(folder) {
                for name in try FileSystem.names(in: folder) {
                    let status = try FileStatus(of: folder + "/" + name)
                    if status.kind == .file { bytes += status.bytesCount }
                }
            }
            try FileSystem.rename(
                "\(incomplete)/\(UnfinishedWork.mark)", to: "\(incomplete)/\(UnfinishedWork.backedUp)")
            try FileSystem.syncFolder(incomplete)
            try FileSystem.rename(incomplete, to: target)
            try FileSystem.syncFolder(FileSystem.parent(of: target))
            // A store is opened with it, too.
            try? FileSystem.remove("\(target)/\(UnfinishedWork.backedUp)")
            return bytes
        } catch {
            throw StoreFolderTools.failure(error, at: incomplete)
        }
    }

    /// True for a file beside the store with knowledge of servers.
    private static func isKnowledge(_ name: String) -> Bool {
        name == "servers.json" || (name.hasPrefix("authorities-") && name.hasSuffix(".pem"))
    }

    private static func copy(_ path: String, to target: String) throws(SystemError) {
        let source = try OpenFile(path, for: .reading, .noLink)
        let copy = try OpenFile(target, for: .readingAndWriting, [.create, .exclusive])
        var offset: Int64 = 0
        while true {
            let part = try source.bytes(at: offset, count: 1 << 20)
            if part.isEmpty { break }
            try copy.writeAll(part, at: offset)
            offset += Int64(part.count)
        }
        try copy.sync()
    }
}
