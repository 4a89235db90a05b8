internal import CausewayStorage
internal import CausewaySystem
import Synchronization

/// A file of a folder of blobs that is being received; incomplete like a copy under way, and removed like one.
final class IncomingBlob: IncomingFile {
    let path: String
    private let file: OpenFile
    private let length = Atomic<Int64>(0)
    private let queues: BlockingQueues

    init(_ path: String, _ file: OpenFile, _ queues: BlockingQueues) {
        self.path = path
        self.file = file
        self.queues = queues
    }

    func append(_ bytes: [UInt8]) async throws(BlobError) {
        try await queues.perform { [self] () throws(BlobError) in
            do throws(SystemError) {
                try file.writeAll(bytes, at: length.load(ordering: .acquiring))
            } catch {
                throw BlobFolder.failure(error, at: path)
            }
            length.add(Int64(bytes.count), ordering: .releasing)
        }
    }

    func remove() async {
        let path = path
        await queues.perform { try? FileSystem.removeIfPresent(path) }
    }
}
