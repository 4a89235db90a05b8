package import CausewayModels

/// The progress or the end of an attempt to upload an attachment: ``OutboxEvent/upload(_:_:)``.
package enum UploadEvent: Sendable, Equatable {
    /// The server opened a session. The driver sends the first byte only after the actions have been performed, and
    /// only if the attempt is still under way then; otherwise it cancels the session.
    case opened(session: String)
    /// The server reported the offset from which the attempt continues.
    case resumed(offset: Int64)
    /// The server has this number of bytes.
    case progressed(sent: Int64)
    /// The server has verified the complete file.
    case uploaded(receipt: String)
    /// The transport failed.
    case failed(TransportError)
    /// The file cannot be read here, or the server takes no files: nothing that time can change.
    case unsendable(code: String, detail: String)
    /// Another account than the one that is logged in created the message.
    case foreign
    /// The driver itself cancelled the attempt, which does not count.
    case interrupted
}
