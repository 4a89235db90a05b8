/// The history of a server's data, as one of its answers named it.
///
/// A server whose data was restored from a backup, or made anew, goes on under another history. A client keeps the last
/// one that it saw, and names it in all that it asks: so both notice when acknowledged data is gone.
public struct ServerHistory: Sendable, Hashable, Codable {
    /// The server itself; another one under the same address has another identity.
    public var server: String
    /// Changes when the server has lost data that it had acknowledged.
    public var id: String
    /// How much the server had taken in; grows while the history lasts.
    public var commit: Int64
    /// The server's own words, which are sent back as they came.
    public var claim: String

    public init(server: String, id: String, commit: Int64, claim: String) {
        self.server = server
        self.id = id
        self.commit = commit
        self.claim = claim
    }

    /// False for what belongs to another history.
    public func isSame(as other: ServerHistory) -> Bool { server == other.server && id == other.id }
}
