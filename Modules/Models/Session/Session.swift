/// One login of one user on one store to one server, until logout. Contains no secret.
public struct Session: Sendable, Hashable, Codable {
    public let id: SessionID
    /// The server's address, `https://chat.example:8443`.
    public let server: String
    public let user: UserID
    public let startedAt: Timestamp
    /// The time of the logout; `nil` while the session is active.
    public var endedAt: Timestamp?

    public init(id: SessionID, server: String, user: UserID, startedAt: Timestamp, endedAt: Timestamp? = nil) {
        self.id = id
        self.server = server
        self.user = user
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    /// True until logout.
    public var isActive: Bool { endedAt == nil }

    /// True when both are of the same user on the same server.
    public func isSameAccount(as other: Session) -> Bool { account == other.account }

    /// The account of the session.
    public var account: Account { Account(server: server, user: user) }
}
