package import CausewayModels

/// `GET /v1/session`.
package struct WireSession: Sendable, Hashable, Codable {
    package var user: UserID
    /// Name and version, for display.
    package var server: String
    /// The marks of the lanes of the requested outbox, by name; absent if the request's history is the hub's. If there
    /// are very many lanes the hub includes those that moved last; another one counts as never used.
    package var marks: [String: Int64]?
    /// Bytes of the largest file that the hub accepts; absent in responses of older hubs.
    package var fileBytesMax: Int64?

    package init(user: UserID, server: String, marks: [String: Int64]? = nil, fileBytesMax: Int64? = nil) {
        self.user = user
        self.server = server
        self.marks = marks
        self.fileBytesMax = fileBytesMax
    }
}
