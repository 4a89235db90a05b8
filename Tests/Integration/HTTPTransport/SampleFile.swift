import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Synchronization

/// A file of a test, and a count of what is read of it.
final class SampleFile: ByteSource {
    let bytes: [UInt8]
    private let attachmentOfWhole: CausewayModels.Attachment
    private let beforeRead: @Sendable (_ offset: Int) async -> Void
    private let read = Mutex(0)

    init(count: Int, seed: UInt64 = 1) {
        var generator = SplitMix64(seed: seed)
        let block = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8 + block.count)
        // Every block differs, so that a fault cannot exchange two of them unseen.
        while bytes.count < count {
            let number = generator.next()
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            bytes.append(contentsOf: block)
        }
        bytes.removeLast(bytes.count - count)
        self.bytes = bytes
        let digest = Digest.sha256(bytes).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        attachmentOfWhole = CausewayModels.Attachment(
            name: "a.bin", contentType: "application/octet-stream", size: Int64(count), sha256: digest.joined())
        beforeRead = { _ in }
    }

    private init(
        _ bytes: [UInt8], _ attachment: CausewayModels.Attachment,
        beforeRead: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.bytes = bytes
        attachmentOfWhole = attachment
        self.beforeRead = beforeRead
    }

    /// The file with fewer bytes than it announces.
    func cut(to count: Int) -> SampleFile { SampleFile(Array(bytes[..<count]), attachment) }

    /// The file; before each part of it is read, `body` runs.
    func reading(_ body: @escaping @Sendable (_ offset: Int) async -> Void) -> SampleFile {
        SampleFile(bytes, attachment, beforeRead: body)
    }

    /// The file, of which nothing is read after this byte until the task is cancelled.
    func slow(after count: Int) -> SampleFile {
        reading { offset in
            guard offset >= count else { return }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
        }
    }

    var attachment: CausewayModels.Attachment { attachmentOfWhole }
    var receipt: UploadReceipt { UploadReceipt(name: attachment.sha256, sha256: attachment.sha256) }
    var bytesRead: Int { read.withLock { $0 } }

    func read(at offset: Int64, count: Int) async throws(TransportError) -> [UInt8] {
        await beforeRead(Int(offset))
        guard offset < bytes.count else { return [] }
        let part = Array(bytes[Int(offset)...].prefix(count))
        read.withLock { $0 += part.count }
        return part
    }
}
