import CausewayBlobs
import CausewayStorage
import CausewaySystem

/// The replacement of a folder's store by a new one that was made and verified in the staging folder.
///
/// The mark `complete` in the staging folder is the moment of decision: before it, the folder's store is the one that
/// was there, after it the new one. From then on each step may be repeated, so a crash anywhere is repaired by calling
/// ``run()`` again; meanwhile nothing opens the folder.
///
/// 1. The files of the former store move to `former-KIND`.
/// 2. The files of the new one move into the folder.
/// 3. The staging folder is removed, its mark first.
struct StoreSwitch {
    let folder: String
    let target: any StoreFormat
    let formats: [any StoreFormat]

    var staging: String { "\(folder)/\(UnfinishedWork.staging)" }

    static func former(_ format: any StoreFormat, in folder: String) -> String { "\(folder)/former-\(format.name)" }

    /// Decides: marks the new store as complete, durably.
    func commit() throws(StoreError) {
        do throws(SystemError) {
            let path = "\(staging)/\(UnfinishedWork.complete)"
            let file = try OpenFile(path + ".new", for: .writing, [.create, .noLink])
            try file.truncate(to: 0)
            _ = try file.write(Array(target.name.utf8), at: 0)
            try file.sync()
            try FileSystem.syncFolder(staging)
            try FileSystem.rename(path + ".new", to: path)
            try FileSystem.syncFolder(staging)
            try FileSystem.syncFolder(folder)
        } catch {
            throw StoreFolderTools.failure(error, at: staging)
        }
    }

    func run() throws(StoreError) {
        for format in formats where format.name != target.name {
            let names = try format.fileNames(in: folder)
            if names.isEmpty { continue }
            try move(names, from: folder, to: Self.former(format, in: folder))
        }
        try move(try target.fileNames(in: staging), from: staging, to: folder)
        do throws(SystemError) {
            // A folder that cannot be looked at is not missing: it would be removed with the staging folder.
            if try !FileSystem.isMissing(staging + "/blobs") {
                if try !FileSystem.isMissing(folder + "/blobs") { try FileSystem.removeFolder(folder + "/blobs") }
                try FileSystem.rename(staging + "/blobs", to: folder + "/blobs")
            }
            try FileSystem.syncFolder(staging)
            try FileSystem.syncFolder(folder)
            try FileSystem.removeIfPresent("\(staging)/\(UnfinishedWork.complete)")
            try FileSystem.syncFolder(staging)
            try FileSystem.removeFolderOfTools(staging)
            try FileSystem.syncFolder(folder)
        } catch {
            throw StoreFolderTools.failure(error, at: folder)
        }
    }

    private func move(_ names: [String], from source: String, to target: String) throws(StoreError) {
        do throws(SystemError) {
            try FileSystem.makeFolderIfMissing(target)
            for name in names { try FileSystem.rename(source + "/" + name, to: target + "/" + name) }
            try FileSystem.syncFolder(target)
            try FileSystem.syncFolder(source)
        } catch {
            throw StoreFolderTools.failure(error, at: target)
        }
    }
}
