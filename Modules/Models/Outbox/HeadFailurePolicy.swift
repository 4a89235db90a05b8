/// The effect on a lane of a permanent failure of its head (refused, out of retries, expired, unsendable).
public enum HeadFailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The lane continues with the next message. The documented behaviour, and the default.
    case `continue`
    /// The lane is paused until every message of it that failed so is resent or deleted, or the session ends; other
    /// lanes are not affected. A pause survives a restart of the process.
    ///
    /// An operation (edit, reaction) never pauses its lane, nor does a reply whose parent does not exist or was
    /// deleted.
    ///
    /// For messages that make no sense without those before them. To guarantee that, each batch carries one message and
    /// waits for the response to the one before: a backlog costs a round trip for each message.
    case pauseLane
}
