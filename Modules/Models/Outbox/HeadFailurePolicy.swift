/// What becomes of a lane when the message at its head fails for good (refused, out of retries, expired, unsendable).
public enum HeadFailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The next message goes on. The documented behaviour, and the default.
    case `continue`
    /// The lane is paused until somebody resends or deletes every message of it that failed so, or the session ends;
    /// what becomes of other lanes is not its business. A pause outlives the process.
    ///
    /// An operation (edit, reaction) pauses nothing, nor does a reply whose message is nowhere or was deleted.
    ///
    /// For messages that make no sense without those before them. To keep that promise each delivery carries one
    /// message, and waits for the answer to the one before: a backlog costs a round trip for each message.
    case pauseLane
}
