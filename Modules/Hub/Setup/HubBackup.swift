internal import CausewayHubBlobs
package import CausewayHubStorage
internal import CausewaySystem

/// Copies the storage and the files of a data folder to another folder, also while a hub serves from it. Certificates,
/// keys, tokens and settings are not copied.
package struct HubBackup: Sendable {
    /// Copies the storage at a path to another one; chosen by the program.
    package typealias Copying = (_ database: String, _ target: String) throws(HubStorageError) -> CopiedStorage

    /// The result of a backup.
    package struct Report: Sendable {
        package let database: String
        package let copied: CopiedStorage
        /// The files that were added.
        package let blobs: Int
    }

    private let folder: DataFolder
    private let target: DataFolder

    package init(folder: DataFolder, to path: String) {
        self.folder = folder
        target = DataFolder(path)
    }

    /// The storage is copied first and the files after it, so that the copy has every file that its storage names.
    ///
    /// - Throws: `notSetUp`, `alreadySetUp` if the folder has a backup of the storage already, `configuration`, `io`,
    ///   `storage`.
    package func run(_ copying: Copying) throws(HubError) -> Report {
        guard folder.isSetUp else { throw .notSetUp(folder: folder.path) }
        try folder.checkOwner()
        guard !target.isSetUp else { throw .alreadySetUp(path: target.database) }
        try DataFolder.makeFolder(target.path)
        try target.checkOwner()
        let copied: CopiedStorage
        do {
            copied = try copying(folder.database, target.database)
        } catch {
            throw .storage(error)
        }
        return Report(database: target.database, copied: copied, blobs: try folder.copyBlobs(to: target))
    }
}

extension DataFolder {
    /// Adds the files of this folder to those of another one.
    func copyBlobs(to target: DataFolder) throws(HubError) -> Int {
        do throws(BlobStorageError) {
            return try HubBlobCopy.run(from: blobs, to: target.blobs)
        } catch {
            throw .io(path: target.blobs, detail: error.description)
        }
    }
}
