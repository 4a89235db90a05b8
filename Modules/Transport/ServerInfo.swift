public import CausewayModels

/// A server's description of itself and of the account.
public struct ServerInfo: Sendable, Hashable {
    /// The owner of the token.
    public var user: UserID
    /// Name and version of the server, for display.
    public var server: String
    /// The server's history; `nil` from a server without histories.
    public var history: ServerHistory?
    /// The marks of the lanes of the requested outbox, if the history is another one than the client knew; a lane
    /// without a mark has never been used there. `nil` otherwise.
    public var marks: [LaneID: Int64]?
    /// The openings that moved these marks last, as far as the server knows them. A mark that another copy of the store
    /// moved proves nothing about the messages of this one.
    public var movers: [LaneID: OpeningID] = [:]

    /// Creates a description without history, marks and openings; set these properties afterwards.
    public init(user: UserID, server: String) {
        self.user = user
        self.server = server
    }
}
