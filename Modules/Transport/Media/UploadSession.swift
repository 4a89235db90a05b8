public import CausewayModels

/// An upload that a server has opened; stored with the message, so that another run of the process resumes it.
public struct UploadSession: Sendable, Hashable, Codable {
    /// The server's name of the session: a URL, or opaque text.
    public var location: String
    /// The file that is uploaded: its size and hash do not change.
    public var file: Attachment

    /// Creates a session under the name that the server gave it.
    public init(location: String, file: Attachment) {
        self.location = location
        self.file = file
    }
}

/// The server's response to the opening of an upload.
public enum UploadStart: Sendable, Hashable {
    /// Bytes are needed.
    case session(UploadSession)
    /// The server has the file, and the account may attach it.
    case present(UploadReceipt)
}

/// The proof that a server has a complete, verified file. A message that carries it is accepted without the file.
public struct UploadReceipt: Sendable, Hashable, Codable {
    /// The server's name of the file; opaque text.
    public var name: String
    /// SHA-256 of the bytes, in lower-case hexadecimal, as the server computed it.
    public var sha256: String

    /// Creates a receipt from a server's response.
    public init(name: String, sha256: String) {
        self.name = name
        self.sha256 = sha256
    }
}
