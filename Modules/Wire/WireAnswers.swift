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

/// A message as the hub shows it: an item of `GET /v1/channels/{channel}/messages`, and `GET /v1/messages/{id}`.
package struct WireMessage: Sendable, Hashable, Codable {
    package var id: MessageID
    package var channel: ChannelID
    package var sender: UserID
    package var content: MessageContent
    package var createdAt: Timestamp
    package var position: Int64
    package var acceptedAt: Timestamp

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        position: Int64, acceptedAt: Timestamp
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.content = content
        self.createdAt = createdAt
        self.position = position
        self.acceptedAt = acceptedAt
    }
}

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

/// `GET /v1/channels`.
package struct WireChannels: Sendable, Hashable, Codable {
    package var channels: [Channel]

    package init(channels: [Channel]) { self.channels = channels }
}

/// The body of every answer that is not 2xx.
package struct WireError: Sendable, Hashable, Codable, Error {
    /// For programs: `tokenRefused`, `superseded`, `channelNotFound`, `busy`, ….
    package var code: String
    /// For people: what happened, to what, and what to do.
    package var detail: String

    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
