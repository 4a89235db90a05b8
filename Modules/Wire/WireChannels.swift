package import CausewayModels

/// `GET /v1/channels`.
package struct WireChannels: Sendable, Hashable, Codable {
    package var channels: [Channel]

    package init(channels: [Channel]) { self.channels = channels }
}
