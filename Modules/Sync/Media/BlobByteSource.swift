import CausewayModels
import CausewayOutbox
import CausewayStorage
import CausewayTransport

/// The bytes of a stored file for an upload.
struct BlobByteSource: ByteSource {
    let blob: any Blob

    func read(at offset: Int64, count: Int) async throws(TransportError) -> [UInt8] {
        do throws(BlobError) {
            return try await blob.read(at: offset, count: count)
        } catch {
            throw .notSent(code: error.isLasting ? Self.unreadableCode : "storeUnavailable", detail: error.description)
        }
    }

    /// The code of a file that is missing or damaged.
    static let unreadableCode = "fileUnreadable"
}

extension BlobError {
    /// True if the file will not be readable later either.
    var isLasting: Bool {
        switch self {
        case .missing, .damaged: true
        default: false
        }
    }
}

extension TransportError {
    /// The end of an attempt to upload with this error.
    var uploadEvent: UploadEvent {
        if case .notSent(BlobByteSource.unreadableCode, let detail) = self {
            .unsendable(code: BlobByteSource.unreadableCode, detail: detail)
        } else {
            .failed(self)
        }
    }
}
