internal import CausewayStorage
internal import CausewaySystem

/// The file that is copied: open, and known to be a file.
struct BlobSource {
    let path: String
    let file: OpenFile
    let size: Int64
    private let version: FileStatus.Version

    /// Opens the file. A pipe or a device is recognised before, because opening it may wait or change it; and after,
    /// because the path may name something else by then.
    init(_ path: String, bytesMax: Int64) throws(BlobError) {
        // The system would read the path up to a zero.
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .sourceMissing(path: path) }
        try Self.requireFile(Self.attempt(path) { () throws(SystemError) in try FileStatus(of: path) }, path)
        let file = try Self.attempt(path) { () throws(SystemError) in
            try OpenFile(path, for: .reading, .noWait)
        }
        let status = try Self.attempt(path) { () throws(SystemError) in try file.status() }
        try Self.requireFile(status, path)
        guard status.bytesCount <= bytesMax else {
            throw .fileTooLarge(path: path, bytes: status.bytesCount, limit: bytesMax)
        }
        self.path = path
        self.file = file
        size = status.bytesCount
        version = status.version
    }

    /// Whether nothing was written to the file since it was opened.
    var isUnchanged: Bool { (try? file.status().version) == version }

    func bytes(at offset: Int64, count: Int) throws(BlobError) -> [UInt8] {
        try Self.attempt(path) { () throws(SystemError) in try file.bytes(at: offset, count: count) }
    }

    private static func attempt<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(BlobError) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw error.isNotFound
                ? .sourceMissing(path: path) : .sourceUnreadable(path: path, detail: error.description)
        }
    }

    private static func requireFile(_ status: FileStatus, _ path: String) throws(BlobError) {
        let kind: String
        switch status.kind {
        case .file: return
        case .folder: kind = "a folder"
        case .pipe: kind = "a pipe"
        case .device: kind = "a device"
        case .socket: kind = "a socket"
        case .link, .other: kind = "no file"
        }
        throw .sourceNotAFile(path: path, kind: kind)
    }
}
