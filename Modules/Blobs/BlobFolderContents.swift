internal import CausewayModels
internal import CausewayStorage
internal import CausewaySystem

/// The contents of a folder of blobs when it is opened, after the remains of an earlier run were removed.
struct BlobFolderContents {
    private(set) var index: BlobIndex
    let hasFolder: Bool

    /// Reads the names in the folder, and the size of each blob.
    ///
    /// Files with other names are left alone. A file that cannot be removed is left to the next opening. Throws if the
    /// names, or the size of a blob, cannot be read.
    init(of path: String, bounds: BlobBounds) throws(BlobError) {
        index = BlobIndex(bounds: bounds)
        let names: [String]
        do throws(SystemError) {
            names = try FileSystem.names(in: path)
        } catch {
            guard error.isNotFound else { throw .notAccessible(path: path, detail: error.description) }
            hasFolder = false
            return
        }
        hasFolder = true
        var blobs: Set<String> = []
        var references: [(name: String, sha256: String, key: BlobIndex.Key)] = []
        for name in names {
            switch BlobFileName(name) {
            case .blob(let sha256): blobs.insert(sha256)
            case .reference(let sha256, let message, let account):
                references.append((name, sha256, BlobIndex.Key(account: account, message: message)))
            case .incomplete: try? FileSystem.removeIfPresent(path + "/" + name)
            case nil: break
            }
        }
        for reference in references {
            guard blobs.contains(reference.sha256), let size = try size(of: reference.sha256, in: path) else {
                try? FileSystem.removeIfPresent(path + "/" + reference.name)
                continue
            }
            index.insert(reference.sha256, size: size, for: reference.key)
        }
        for sha256 in blobs where index.size(of: sha256) == nil {
            try? FileSystem.removeIfPresent(path + "/" + sha256)
        }
    }

    /// The size of a blob, which is read once; `nil` if there is no such file.
    ///
    /// A blob that the disk fails to describe is not missing: what holds it must not be removed.
    private func size(of sha256: String, in path: String) throws(BlobError) -> Int64? {
        if let known = index.size(of: sha256) { return known }
        let file = path + "/" + sha256
        do throws(SystemError) {
            let status = try FileStatus(of: file, followsLink: false)
            return status.kind == .file ? status.bytesCount : nil
        } catch {
            if error.isNotFound { return nil }
            throw .notAccessible(path: file, detail: error.description)
        }
    }
}
