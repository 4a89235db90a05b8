/// Where the server put an accepted message. A repeat of the same message is answered with the same placement.
public struct Placement: Sendable, Hashable, Codable {
    /// The place in the channel: 1, 2, 3 … in the order in which the server accepted.
    public let position: Int64
    /// When the server accepted it, by the server's clock.
    public let acceptedAt: Timestamp

    public init(position: Int64, acceptedAt: Timestamp) {
        self.position = position
        self.acceptedAt = acceptedAt
    }
}
