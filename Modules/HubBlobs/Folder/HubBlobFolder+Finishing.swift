internal import CausewayHubRules
internal import CausewaySystem
internal import Synchronization

/// The step from a part to a blob. Whichever process or machine ends at any time:
///
/// 1. The bytes of the part are durable before its file gets a further name.
/// 2. The folder of a blob is durable in its parent before a blob in it is.
/// 3. The part keeps its name. While its file has another one nothing writes to it (``FolderPart``).
/// 4. A blob of the name is replaced by a change of a name: it is the old file or the new one.
extension HubBlobFolder {
    /// Gives the file of a part the name of a blob, durably. It replaces a blob of that name: the disk may have lost or
    /// changed bytes of the older one, and those of the part were just hashed. Blocks.
    ///
    /// Where the disk has no second names for files the blob is a copy, which needs as many bytes for a moment.
    ///
    /// - Parameters:
    ///   - part: the path of the part, all of whose bytes are durable.
    ///   - id: that of the part.
    func addBlob(_ name: BlobName, from part: String, _ id: UploadID) throws(SystemError) {
        try makeFolder(of: name)
        let target = path(of: name)
        try inject(.look)
        let isNew = try FileSystem.isMissing(target)
        let temporary = partsFolder + "/" + id.text + Self.temporarySuffix
        do throws(SystemError) {
            try FileSystem.removeIfPresent(temporary)
            try linkOrCopy(part, to: temporary)
            try FileSystem.rename(temporary, to: target)
            // Two names of one file are not exchanged: the part was finished before.
            try FileSystem.removeIfPresent(temporary)
        } catch {
            try? FileSystem.removeIfPresent(temporary)
            throw error
        }
        do throws(SystemError) {
            try inject(.name)
            try FileSystem.syncFolder(folder(of: name))
        } catch {
            // The name may be there after a power failure although it is removed now: the file must not be written to,
            // so the part cannot be continued.
            forget(id)
            try? FileSystem.remove(part)
            // Others may need the blob that was here before, and this one has its bytes.
            if isNew { try? FileSystem.remove(target) }
            throw error
        }
    }

    /// Gives a file a second name, or copies it: a failure that concerns the copy as well is reported by the copy.
    private func linkOrCopy(_ part: String, to temporary: String) throws(SystemError) {
        do throws(SystemError) {
            try inject(.link)
            try FileSystem.link(part, to: temporary)
        } catch {
            try HubBlobCopy.copy(try OpenFile(part, for: .reading, .noLink), to: temporary)
        }
    }

    /// Creates the folder of a blob if it is missing, and makes it durable. That is remembered when it has succeeded:
    /// the upload that created the folder may have failed, or may not have come so far.
    private func makeFolder(of name: BlobName) throws(SystemError) {
        let folder = folder(of: name)
        var isNew = true
        do throws(SystemError) {
            try FileSystem.makeFolder(folder)
        } catch {
            guard error.isExisting else { throw error }
            isNew = false
        }
        let entry = String(name.text.prefix(2))
        guard isNew || !durableFolders.withLock({ $0.contains(entry) }) else { return }
        try inject(.folder)
        try FileSystem.syncFolder(path)
        durableFolders.withLock { _ = $0.insert(entry) }
    }
}
