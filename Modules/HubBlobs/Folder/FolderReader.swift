internal import CausewaySystem
internal import NIOCore
internal import Synchronization

/// A blob of a ``HubBlobFolder`` that is open for reading.
final class FolderReader: BlobReader {
    let size: Int64
    private let file: OpenFile
    private let path: String
    private let folder: HubBlobFolder
    /// The bytes that were read last. Locked while others are read, on a thread that may block.
    private let bytes = Mutex(ByteBuffer())

    init(_ file: OpenFile, path: String, size: Int64, in folder: HubBlobFolder) {
        self.file = file
        self.path = path
        self.size = size
        self.folder = folder
    }

    var executor: (any TaskExecutor)? { folder.threads }

    func read(at offset: Int64, count: Int) async throws(BlobStorageError) -> ByteBuffer {
        try await folder.perform { [self] () throws(BlobStorageError) in
            try bytes.withLock { bytes throws(BlobStorageError) in
                // New memory only if the caller still has the bytes.
                bytes.clear(minimumCapacity: count)
                try HubBlobFolder.doing(path) { () throws(SystemError) in
                    _ = unsafe try bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
                        memory throws(SystemError) in
                        unsafe try file.read(
                            at: offset, into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
                    }
                }
                return bytes
            }
        }
    }
}
