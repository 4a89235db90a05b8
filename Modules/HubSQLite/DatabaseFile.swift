internal import CausewayHubStorage
internal import CausewaySystem

/// The file of a hub's database, and its siblings: created private, replaced atomically, made durable.
enum DatabaseFile {
    /// Creates an empty file that only its owner may read. Never follows a link or replaces a file.
    static func create(_ path: String) throws(HubStorageError) {
        try FileSystem.makeFolders(FileSystem.parent(of: path)) {
            HubStorageError.io(path: $0, detail: "the folder cannot be created (\($1))")
        }
        do throws(SystemError) {
            let file = try OpenFile(path, for: .writing, [.create, .exclusive])
            try file.sync()
        } catch {
            if error.isExisting { throw .exists(path: path) }
            throw .io(path: path, detail: "the file cannot be created (\(error))")
        }
    }

    static func rename(_ path: String, to target: String) throws(HubStorageError) {
        do throws(SystemError) {
            try FileSystem.rename(path, to: target)
        } catch {
            throw .io(path: target, detail: "the file cannot be replaced (\(error))")
        }
    }

    /// Gives a file a second name.
    static func link(_ path: String, to target: String) throws(HubStorageError) {
        do throws(SystemError) {
            try FileSystem.link(path, to: target)
        } catch {
            throw .io(path: target, detail: "the file cannot be kept (\(error))")
        }
    }

    /// Makes a file, or the names in a folder, durable.
    static func sync(_ path: String) throws(HubStorageError) {
        do throws(SystemError) {
            try OpenFile(path, for: .reading).sync()
        } catch {
            throw .io(path: path, detail: "it cannot be synced to the disk (\(error))")
        }
    }

    static func remove(_ path: String) { try? FileSystem.remove(path) }
}
