internal import CausewayModels
package import CausewayStorage
internal import CausewaySystem
import Synchronization

/// Copying a whole folder of blobs while it is in use.
extension BlobFolder {
    /// Removes nothing until `body` has ended: releases take effect afterwards, also those that were asked for before.
    package func holding<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        state.withLock { $0.holdsCount += 1 }
        let result: Result<Value, StoreError>
        do throws(StoreError) { result = .success(try await body()) } catch { result = .failure(error) }
        let due: [BlobIndex.Key] = state.withLock { state in
            state.holdsCount -= 1
            return state.holdsCount == 0 ? Array(state.deferred) : []
        }
        // The next sweep finds files that cannot be removed now.
        if !due.isEmpty { try? release(due, onlyDue: true) }
        return try result.get()
    }

    /// Copies every blob and every reference into another folder, durably. Files that are added meanwhile may be
    /// missing. Blocks the thread.
    ///
    /// - Parameter progress: called after each part with the bytes that were copied so far.
    package func copyAll(to folder: String, progress: (Int64) -> Void) throws(BlobError) {
        let names: [String]
        do throws(SystemError) { names = try FileSystem.names(in: path) } catch {
            if error.isNotFound { return }
            throw Self.failure(error, at: path)
        }
        var (target, done) = (folder, Int64(0))
        do throws(SystemError) {
            try FileSystem.makeFolder(folder)
            for name in names.sorted() {
                target = folder + "/" + name
                switch BlobFileName(name) {
                case .blob: try Self.copy(file(name), to: target) { bytes in progress(done + bytes) }
                case .reference: _ = try OpenFile(target, for: .writing, [.create, .exclusive])
                case .incomplete, nil: continue
                }
                done += (try? FileStatus(of: target).bytesCount) ?? 0
            }
            try FileSystem.syncFolder(folder)
        } catch {
            throw Self.failure(error, at: target)
        }
    }

    private static func copy(
        _ path: String, to target: String, progress: (Int64) -> Void
    ) throws(SystemError) {
        let source = try OpenFile(path, for: .reading, .noLink)
        let copy = try OpenFile(target, for: .readingAndWriting, [.create, .exclusive])
        if !copy.clone(source) {
            var offset: Int64 = 0
            while true {
                let part = try source.bytes(at: offset, count: Limits.blobPartBytesMax)
                if part.isEmpty { break }
                try copy.writeAll(part, at: offset)
                offset += Int64(part.count)
                progress(offset)
            }
        }
        try copy.sync()
    }
}
