package import CausewayHubStorage
internal import CausewaySystem

/// Replaces the storage in a data folder by a backup, and adds the files of the backup. Certificates, keys and settings
/// of the folder are unchanged.
package struct HubRestore: Sendable {
    /// Replaces the storage at a path by the backup at another one; chosen by the program.
    package typealias Restoring = (
        _ source: String, _ database: String
    ) throws(HubStorageError) -> RestoredStorage

    /// The result of a restore.
    package struct Report: Sendable {
        package let source: String
        package let database: String
        package let restored: RestoredStorage
        /// The files that were added.
        package let blobs: Int
    }

    private let folder: DataFolder
    private let source: String

    /// - Parameter path: a backup of a data folder, or of its `hub.sqlite`.
    package init(folder: DataFolder, from path: String) {
        self.folder = folder
        let inside = DataFolder(path).database
        source = FileSystem.exists(inside) ? inside : path
    }

    /// Verifies the backup and then puts it in place atomically; nothing but files that no message needs is changed
    /// before.
    ///
    /// - Throws: `inUse` while a hub serves from the folder, `configuration`, `io`, `storage`.
    package func run(_ restoring: Restoring) throws(HubError) -> Report {
        try folder.checkOwner()
        guard FileSystem.exists(source) else { throw .io(path: source, detail: "no backup found") }
        try DataFolder.makeFolder(folder.path)
        let lock = try DataFolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        guard !FileSystem.isSameFile(source, folder.database) else {
            throw .configuration("\(source) is the hub's current database; name a backup of it")
        }
        // Before the database that names them.
        let blobs = try DataFolder(FileSystem.parent(of: source)).copyBlobs(to: folder)
        do {
            return Report(
                source: source, database: folder.database, restored: try restoring(source, folder.database),
                blobs: blobs)
        } catch {
            throw .storage(error)
        }
    }
}
