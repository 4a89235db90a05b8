package import CausewayStorage
import CausewaySystem

/// The marks of a work on a folder that has not ended, which must not be opened as a store meanwhile. Every store on
/// disk refuses such a folder.
package enum UnfinishedWork {
    /// In a folder that is being filled by a backup.
    package static let mark = "unfinished"
    /// In a folder that a backup has filled, until the folder has its name.
    package static let backedUp = "backup-complete"
    /// The folder, in that of the store, in which a migration or an import makes the new store.
    package static let staging = "migration"
    /// In the staging folder, from the moment when the new store is complete: the name of its kind.
    package static let complete = "complete"
    /// In the staging folder, from the moment when everything is copied: the name of the new store's kind.
    package static let copied = "copied"

    /// Throws if the folder must not be opened as a store, or if that cannot be told.
    package static func require(none folder: String) throws(StoreError) {
        let isBackup: Bool
        let kind: String?
        do throws(SystemError) {
            isBackup = try !FileSystem.isMissing("\(folder)/\(mark)")
            kind = try readText(of: complete, in: folder)
        } catch {
            throw .notAccessible(
                path: folder,
                detail: "a backup or a migration may have been interrupted there: its mark cannot be read (\(error))")
        }
        if isBackup {
            throw .notAccessible(path: folder, detail: "it is a backup that was interrupted; remove it")
        }
        if let kind {
            throw .notAccessible(
                path: folder,
                detail: "a migration was interrupted; complete it with `causeway store migrate --to \(kind)`")
        }
    }

    /// The kind of store to which a migration switches that has not ended; `nil` if none has passed its verification.
    package static func migration(in folder: String) -> String? { text(of: complete, in: folder) }

    /// The content of a mark in the staging folder; `nil` also if it cannot be read.
    package static func text(of mark: String, in folder: String) -> String? {
        try? readText(of: mark, in: folder)
    }

    private static func readText(of mark: String, in folder: String) throws(SystemError) -> String? {
        let path = "\(folder)/\(staging)/\(mark)"
        if try FileSystem.isMissing(path) { return nil }
        let bytes = try OpenFile(path, for: .reading, .noLink).bytes(at: 0, count: 32)
        return String(decoding: bytes, as: UTF8.self)
    }
}
