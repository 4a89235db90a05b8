/// A channel of a server.
public struct Channel: Sendable, Hashable, Codable, Identifiable {
    public let id: ChannelID
    /// The position of the newest message; 0 if there is none.
    public let lastPosition: Int64

    public init(id: ChannelID, lastPosition: Int64) {
        self.id = id
        self.lastPosition = lastPosition
    }
}
