package import CausewayModels

/// `GET /v1/session`.
package struct WireSession: Sendable, Hashable, Codable {
    package var user: UserID
    /// Name and version, for people.
    package var server: String

    package init(user: UserID, server: String) {
        self.user = user
        self.server = server
    }
}
