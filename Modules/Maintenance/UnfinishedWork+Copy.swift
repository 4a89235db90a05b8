import CausewayBlobs
import CausewayStorage
import CausewaySystem

/// The copy that a migration or an import makes in the staging folder.
extension UnfinishedWork {
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
}
