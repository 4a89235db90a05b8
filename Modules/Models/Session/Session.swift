/// One login of one user on one store to one server, until logout. Contains no secret.
public struct Session: Sendable, Hashable, Codable {
    public let id: SessionID
    /// The server's address, `https://chat.example:8443`.
    public let server: String
    /// The user who logged in: the owner of the token.
    public let user: UserID
    /// The time of the login, by this device.
    public let startedAt: Timestamp
    /// The time of the logout; `nil` while the session is active.
    public var endedAt: Timestamp?
    /// The account of the session. Made once, since each message that is created carries it.
    public let account: Account

    /// Creates a session, active unless `endedAt` is given. The account follows from server and user.
    public init(id: SessionID, server: String, user: UserID, startedAt: Timestamp, endedAt: Timestamp? = nil) {
        self.id = id
        self.server = server
        self.user = user
        self.startedAt = startedAt
        self.endedAt = endedAt
        account = Account(server: server, user: user)
    }

    private enum CodingKeys: String, CodingKey { case id, server, user, startedAt, endedAt }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(SessionID.self, forKey: .id), server: try values.decode(String.self, forKey: .server),
            user: try values.decode(UserID.self, forKey: .user),
            startedAt: try values.decode(Timestamp.self, forKey: .startedAt),
            endedAt: try values.decodeIfPresent(Timestamp.self, forKey: .endedAt))
    }

    /// True until logout.
    public var isActive: Bool { endedAt == nil }

    /// True when both are of the same user on the same server.
    public func isSameAccount(as other: Session) -> Bool { account == other.account }
}
