/// One step in the upload of a message's attachment.
///
/// A step that does not apply does nothing: all of them apply to messages with an attachment that are `created`,
/// `uploading` or `syncing` and have a lane sequence.
public enum UploadStep: Sendable, Hashable {
    /// An attempt begins: the message becomes `uploading`, and this number of attempts has been counted. Does nothing
    /// if the upload is complete.
    case begin(attempts: Int)
    /// The server opened a session, which another run of the process can resume. Stored before the first byte leaves.
    /// Does nothing if the upload is complete.
    case open(session: String)
    /// The server confirmed bytes beyond those of earlier attempts: no attempt is counted any longer.
    case progress
    /// The attempt ended without a complete file: an `uploading` message returns to `created`, and an older failure is
    /// cleared. Does nothing if the upload is complete.
    case requeue(session: String?, attempts: Int)
    /// The server has the complete file: an `uploading` message returns to `created`, and may be sent.
    case complete(receipt: String)
    /// The server no longer has the file that was complete: it has to be uploaded again, and the message returns to the
    /// tail of its lane as by ``Mutation/resend(_:at:)``.
    case startAgain
}
