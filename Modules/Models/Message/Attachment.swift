/// The description of a media message's file; the bytes are in the store.
public struct Attachment: Sendable, Hashable, Codable {
    /// The file's name for display; untrusted text that must be escaped.
    public var name: String
    /// The media type, `image/png`.
    public var contentType: String
    /// The size in bytes.
    public var size: Int64
    /// SHA-256 of the bytes, in lower-case hexadecimal.
    public var sha256: String

    public init(name: String, contentType: String, size: Int64, sha256: String) {
        self.name = name
        self.contentType = contentType
        self.size = size
        self.sha256 = sha256
    }
}
