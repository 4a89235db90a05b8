public import CausewayModels

/// What a server says of itself and of the account.
public struct ServerGreeting: Sendable, Hashable {
    public var user: UserID
    /// Name and version of the server, for people.
    public var server: String
    /// The server's history; `nil` from a server without histories.
    public var history: ServerHistory?
    /// Where the lanes of the outbox stand that was asked about, when the history is another one than the client knew;
    /// a lane that is not named has never been used there. `nil` otherwise.
    public var marks: [LaneID: Int64]?

    public init(user: UserID, server: String) {
        self.user = user
        self.server = server
    }
}
