import CausewayModels
import CausewayStorage

/// A file to send: where its bytes are, and how it is shown.
///
/// The client makes a copy of its own before a creation returns: it does not matter what happens to the file
/// afterwards. Type, size, hash, dimensions and duration come from the bytes.
public struct MediaSource: Sendable {
    enum Bytes: Sendable {
        case path(String)
        case parts(@Sendable () async throws -> [UInt8]?)
    }

    let bytes: Bytes
    /// The name that receivers see; untrusted text for them. Only its last path component counts; control characters
    /// are replaced. Without a name that of the path.
    public var name: String?
    /// A tiny preview in a form that the application chooses, at most ``Limits/previewBytesMax`` bytes.
    public var preview: [UInt8]?

    /// A file on this machine, read with the rights of this process. A link is followed.
    ///
    /// A folder, a device, a pipe or a socket is refused.
    public init(path: String, name: String? = nil, preview: [UInt8]? = nil) {
        bytes = .path(path)
        self.name = name
        self.preview = preview
    }

    /// An open file, which is read from its beginning, whatever its position.
    ///
    /// - Parameters:
    ///   - descriptor: stays open until the creation returns; it is not closed.
    ///   - name: the name of the file.
    ///   - preview: at most ``Limits/previewBytesMax`` bytes.
    public init(descriptor: Int32, name: String, preview: [UInt8]? = nil) {
        self.init(path: "/dev/fd/\(descriptor)", name: name, preview: preview)
    }

    /// Bytes from anywhere, in parts.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - preview: at most ``Limits/previewBytesMax`` bytes.
    ///   - next: returns the next bytes, `nil` at the end; called by one task, in order. If it throws, the creation
    ///     throws ``BlobError/sourceUnreadable(path:detail:)``.
    public init(name: String, preview: [UInt8]? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        bytes = .parts(next)
        self.name = name
        self.preview = preview
    }
}
