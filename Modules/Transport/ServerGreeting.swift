public import CausewayModels

/// What a server says of itself and of the account.
public struct ServerGreeting: Sendable, Hashable {
    public var user: UserID
    /// Name and version of the server, for people.
    public var server: String

    public init(user: UserID, server: String) {
        self.user = user
        self.server = server
    }
}
