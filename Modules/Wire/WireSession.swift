package import CausewayModels

/// `GET /v1/session`.
package struct WireSession: Sendable, Hashable, Codable {
    package var user: UserID
    /// Name and version, for people.
    package var server: String
    /// Where the lanes of the outbox stand that was asked about, by name; absent while the request's history is the
    /// hub's. Of very many lanes the hub names those that moved last; another one counts as never used.
    package var marks: [String: Int64]?

    package init(user: UserID, server: String, marks: [String: Int64]? = nil) {
        self.user = user
        self.server = server
        self.marks = marks
    }
}
