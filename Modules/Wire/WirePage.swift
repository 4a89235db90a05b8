/// `GET /v1/channels/{channel}/messages`, by ascending position.
package struct WirePage: Sendable, Hashable, Codable {
    package var messages: [WireMessage]
    /// True when there is more in the direction that was asked for.
    package var hasMore: Bool

    package init(messages: [WireMessage], hasMore: Bool) {
        self.messages = messages
        self.hasMore = hasMore
    }
}
