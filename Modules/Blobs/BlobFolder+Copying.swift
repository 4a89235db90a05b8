internal import CausewayMedia
internal import CausewayModels
internal import CausewayStorage
internal import CausewaySystem
import Synchronization

/// The steps of a copy. Blocking: they run on a thread of their own.
extension BlobFolder {
    func copy(
        _ path: String, for key: BlobIndex.Key, bytesMax: Int64, _ isCancelled: Flag
    ) throws(BlobError) -> Attachment {
        if isCancelled.isSet { throw .cancelled }
        let source = try BlobSource(path, bytesMax: min(bytesMax, options.bounds.fileBytesMax))
        try state.withLock { state throws(BlobError) in try state.index.reserve(source.size) }
        var hasRoom = true
        defer { if hasRoom { state.withLock { $0.index.unreserve(source.size) } } }
        let target = try makeIncomplete()
        do throws(BlobError) {
            let attachment = try fill(target.file, from: source, isCancelled)
            try sync(target.file)
            let wasHeld = try place(target.path, attachment, for: key)
            hasRoom = false
            do throws(BlobError) {
                try syncFolder()
            } catch {
                if !wasHeld { try? release(attachment.sha256, key) }
                throw error
            }
            return attachment
        } catch {
            try? FileSystem.removeIfPresent(target.path)
            throw error
        }
    }

    func makeIncomplete() throws(BlobError) -> (path: String, file: OpenFile) {
        let number = try state.withLock { state throws(BlobError) in
            if !state.hasFolder {
                try makeFolder()
                state.hasFolder = true
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        let path = file(BlobFileName.incomplete(number))
        return try attempt(.createCopy, at: path) { () throws(SystemError) in
            (path, try OpenFile(path, for: .readingAndWriting, [.create, .exclusive, .noLink]))
        }
    }

    private func makeFolder() throws(BlobError) {
        let parent = FileSystem.parent(of: path)
        do throws(SystemError) {
            do throws(SystemError) { try FileSystem.makeFolder(path) } catch { if !error.isExisting { throw error } }
            if options.durability == .full { try FileSystem.syncFolder(parent.isEmpty ? "." : parent) }
        } catch {
            throw Self.failure(error, at: path)
        }
    }

    /// Copies and hashes the bytes, and describes the copy: it does not change any more, whatever the source does.
    private func fill(
        _ target: OpenFile, from source: BlobSource, _ isCancelled: Flag
    ) throws(BlobError) -> Attachment {
        let isCloned = target.clone(source.file)
        var digest = BlobDigest()
        while true {
            if isCancelled.isSet { throw .cancelled }
            let offset = digest.bytesCount
            let part =
                isCloned
                ? try attempt(.write, at: path) { () throws(SystemError) in
                    try target.bytes(at: offset, count: Limits.blobPartBytesMax)
                } : try source.bytes(at: offset, count: Limits.blobPartBytesMax)
            if part.isEmpty { break }
            guard Int64(part.count) <= source.size - offset else { throw .sourceChanged(path: source.path) }
            if !isCloned {
                try attempt(.write, at: path) { () throws(SystemError) in try target.writeAll(part, at: offset) }
            }
            digest.update(part)
        }
        let size = digest.bytesCount
        guard size == source.size, source.isUnchanged else { throw .sourceChanged(path: source.path) }
        let found = MediaInspector.describe(size: size) { offset, count in
            (try? target.bytes(at: offset, count: count)) ?? []
        }
        return Attachment(
            name: Attachment.name(ofPath: source.path), contentType: found.contentType, size: size,
            sha256: digest.sha256, width: found.width, height: found.height,
            duration: found.duration)
    }

    private func sync(_ target: OpenFile) throws(BlobError) {
        guard options.durability == .full else { return }
        try attemptSync(.syncCopy) { () throws(SystemError) in try target.syncData() }
    }

    /// Gives the copy its name. A blob of that name is replaced: it has the same bytes, unless it is damaged.
    ///
    /// - Returns: true if the reference held such a blob before.
    private func place(
        _ incomplete: String, _ attachment: Attachment, for key: BlobIndex.Key
    ) throws(BlobError) -> Bool {
        let reference = file(BlobFileName.reference(attachment.sha256, key))
        let blob = file(BlobFileName.blob(attachment.sha256))
        return try state.withLock { state throws(BlobError) in
            let isHeld = state.index.holds(attachment.sha256, key)
            do throws(BlobError) {
                try attempt(.createReference, at: reference) { () throws(SystemError) in
                    _ = try OpenFile(reference, for: .writing, [.create, .noLink])
                }
                try attempt(.rename, at: blob) { () throws(SystemError) in
                    try FileSystem.rename(incomplete, to: blob)
                }
            } catch {
                if !isHeld { try? FileSystem.removeIfPresent(reference) }
                throw error
            }
            state.index.add(attachment.sha256, size: attachment.size, for: key)
            state.deferred.remove(key)
            return isHeld
        }
    }

    /// Returns when the names are on the disk.
    private func syncFolder() throws(BlobError) {
        guard options.durability == .full else { return }
        try attemptSync(.syncFolder) { () throws(SystemError) in try FileSystem.syncFolder(path) }
    }

    // MARK: - Errors

    private func attempt<Value>(
        _ step: BlobStep, at path: String, _ body: () throws(SystemError) -> Value
    ) throws(BlobError) -> Value {
        do throws(SystemError) {
            if let fault = options.intercept?(step) { throw fault }
            return try body()
        } catch {
            throw Self.failure(error, at: path)
        }
    }

    private func attemptSync(_ step: BlobStep, _ body: () throws(SystemError) -> Void) throws(BlobError) {
        do throws(SystemError) {
            if let fault = options.intercept?(step) { throw fault }
            try body()
        } catch {
            throw .syncFailed(detail: "\(path): \(error)")
        }
    }

    static func failure(_ error: SystemError, at path: String) -> BlobError {
        error.isFull
            ? .full(detail: "\(path): \(error)") : .notAccessible(path: path, detail: error.description)
    }
}
