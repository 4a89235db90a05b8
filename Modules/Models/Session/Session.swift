/// One login of one user on one store against one server, until logout. Holds no secret.
public struct Session: Sendable, Hashable, Codable {
    public let id: SessionID
    /// The server's address, `https://chat.example:8443`.
    public let server: String
    public let user: UserID
    public let startedAt: Timestamp

    public init(id: SessionID, server: String, user: UserID, startedAt: Timestamp) {
        self.id = id
        self.server = server
        self.user = user
        self.startedAt = startedAt
    }
}
