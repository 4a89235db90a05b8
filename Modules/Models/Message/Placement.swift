/// Where the server put an accepted message. A repeat of the same message is answered with the same placement.
public struct Placement: Sendable, Hashable, Codable {
    /// The place in the channel: 1, 2, 3 … in the order in which the server accepted.
    public let position: Int64
    /// When the server accepted it, by the server's clock.
    public let acceptedAt: Timestamp

    /// A position outside of 0 to ``Limits/positionMax`` becomes the nearest one inside.
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
