internal import CausewayHubRules
internal import CausewayModels
internal import CausewaySystem

/// Copies the blobs of one folder to another, for backups: a blob never changes, so a second name of the same file is a
/// copy where the disk is the same one, and costs nothing.
package enum HubBlobCopy {
    /// Bytes that are copied at a time.
    private static let partBytes = 1024 * 1024

    /// Adds the blobs of a folder to another one, durably; those that are there already are unchanged. Parts of uploads
    /// are not copied. A hub may use the source meanwhile: blobs that it removes are left out. Throws if a folder of
    /// blobs cannot be read.
    ///
    /// - Returns: the number of blobs that were added.
    package static func run(from source: String, to target: String) throws(BlobStorageError) -> Int {
        guard try HubBlobFolder.namesIfPresent(in: source) != nil else { return 0 }
        try makeFolder(target)
        var count = 0
        for byte in UInt8.min ... .max {
            let folder = "/" + Hexadecimal.text(of: [byte])
            guard let names = try HubBlobFolder.namesIfPresent(in: source + folder) else { continue }
            try makeFolder(target + folder)
            for name in names where BlobName(name) != nil {
                let path = folder + "/" + name
                guard !FileSystem.exists(target + path) else { continue }
                if try add(source + path, as: target + path) { count += 1 }
            }
            try sync(target + folder)
        }
        // The folders themselves; of an earlier copy that was cut, too.
        try sync(target)
        let parent = FileSystem.parent(of: target)
        try sync(parent.isEmpty ? "." : parent)
        return count
    }

    private static func sync(_ folder: String) throws(BlobStorageError) {
        try HubBlobFolder.doing(folder) { () throws(SystemError) in try FileSystem.syncFolder(folder) }
    }

    private static func makeFolder(_ path: String) throws(BlobStorageError) {
        try FileSystem.makeFolders(path) {
            BlobStorageError.io(path: $0, detail: "the folder cannot be created (\($1))")
        }
    }

    /// Writes the bytes of a file from its current position on to a new file, durably but for its name.
    static func copy(_ input: OpenFile, to path: String) throws(SystemError) {
        let output = try OpenFile(path, for: .writing, [.create, .exclusive])
        var bytes = try input.read(upTo: partBytes)
        while !bytes.isEmpty {
            try output.write(bytes)
            bytes = try input.read(upTo: partBytes)
        }
        try output.sync()
    }

    /// - Returns: false if the blob is gone.
    private static func add(_ source: String, as target: String) throws(BlobStorageError) -> Bool {
        if (try? FileSystem.link(source, to: target)) != nil { return true }
        let temporary = target + ".new"
        do throws(SystemError) {
            try FileSystem.removeIfPresent(temporary)
            let input: OpenFile
            do throws(SystemError) {
                input = try OpenFile(source, for: .reading, .noLink)
            } catch {
                if error.isNotFound { return false }
                throw error
            }
            try copy(input, to: temporary)
            try FileSystem.rename(temporary, to: target)
            return true
        } catch {
            try? FileSystem.removeIfPresent(temporary)
            throw HubBlobFolder.classified(error, target)
        }
    }
}
