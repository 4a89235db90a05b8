package import CausewayModels

/// `GET /v1/session`.
package struct WireSession: Sendable, Hashable, Codable {
    package var user: UserID
    /// Name and version, for display.
    package var server: String
    /// The marks of the lanes of the requested outbox, by name; absent if the request's history is the hub's. If there
    /// are very many lanes the hub includes those that moved last; another one counts as never used.
    package var marks: [String: Int64]?
    /// The openings that moved these marks last, by the lane's name; none for a client without openings.
    package var movers: [String: OpeningID]?
    /// Bytes of the largest file that the hub accepts; absent in responses of older hubs.
    package var fileBytesMax: Int64?

    package init(
        user: UserID, server: String, marks: [String: Int64]? = nil, movers: [String: OpeningID]? = nil,
        fileBytesMax: Int64? = nil
    ) {
        self.user = user
        self.server = server
        self.marks = marks
        self.movers = movers
        self.fileBytesMax = fileBytesMax
    }
}
