/// An error of a blob store. None of them leaves a part of a file behind.
public enum BlobError: Error, Sendable, Hashable {
    /// There is no file at the path.
    case sourceMissing(path: String)
    /// The file cannot be opened or read.
    case sourceUnreadable(path: String, detail: String)
    /// The path names something other than a file: `kind` is `a folder`, `a pipe`, `a device`, `a socket`.
    case sourceNotAFile(path: String, kind: String)
    /// The file was written to while it was copied.
    case sourceChanged(path: String)
    /// The file is larger than the server or the store accepts.
    case fileTooLarge(path: String, bytes: Int64, limit: Int64)
    /// The blobs together have reached their limit.
    case storageFull(bytes: Int64, limit: Int64)
    /// There are as many blobs as the store may hold.
    case tooManyBlobs(limit: Int)
    /// Too many files are being copied at once.
    case busy(limit: Int)
    /// The disk is full.
    case full(detail: String)
    /// The disk failed to confirm a write.
    case syncFailed(detail: String)
    /// The folder cannot be read or written.
    case notAccessible(path: String, detail: String)
    /// There is no blob with this hash.
    case missing(sha256: String)
    /// The blob's file is not as it was stored.
    case damaged(path: String, detail: String)
    /// The calling task was cancelled.
    case cancelled
    /// The store was closed.
    case closed
}

extension BlobError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sourceMissing(let path): "there is no file \(path)"
        case .sourceUnreadable(let path, let detail): "cannot read \(path): \(detail); check its permissions"
        case .sourceNotAFile(let path, let kind): "\(path) is \(kind); only a file can be attached"
        case .sourceChanged(let path): "\(path) changed while it was copied; try again when it is complete"
        case .fileTooLarge(let path, let bytes, let limit):
            "\(path) has \(bytes) bytes; at most \(limit) may be attached"
        case .storageFull(let bytes, let limit):
            "the attachments have \(bytes) of at most \(limit) bytes; delete messages with attachments first"
        case .tooManyBlobs(let limit): "there are \(limit) attachments; delete messages with attachments first"
        case .busy(let limit): "\(limit) files are being copied; try again when they are done"
        case .full(let detail): "the disk is full (\(detail)); free some space and try again"
        case .syncFailed(let detail): "the disk did not confirm a write (\(detail)); the file was not attached"
        case .notAccessible(let path, let detail):
            "cannot use \(path): \(detail); check that the folder exists and is writable"
        case .missing(let sha256): "there is no attachment \(sha256) in the store"
        case .damaged(let path, let detail): "the attachment \(path) is damaged: \(detail)"
        case .cancelled: "the copy was cancelled"
        case .closed: "the store is closed"
        }
    }
}
