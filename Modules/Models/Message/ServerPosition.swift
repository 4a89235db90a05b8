/// The position that the server assigned to an accepted message. A repeat of the same message returns the same
/// placement.
public struct ServerPosition: Sendable, Hashable, Codable {
    /// The position in the channel: 1, 2, 3 … in the order of acceptance by the server.
    public let position: Int64
    /// The time when the server accepted the message, by the server's clock.
    public let acceptedAt: Timestamp

    /// Clamps the position to 0 through ``Limits/positionMax``.
    public init(position: Int64, acceptedAt: Timestamp) {
        self.position = min(max(position, 0), Limits.positionMax)
        self.acceptedAt = acceptedAt
    }

    private enum Key: String, CodingKey { case position, acceptedAt }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            position: try values.decode(Int64.self, forKey: .position),
            acceptedAt: try values.decode(Timestamp.self, forKey: .acceptedAt))
    }
}
