package import Causeway

/// *Send a Message* of the documentation: text, custom and image messages, and replies.
package struct CreationSamples: Sendable {
    private let repository: MessageRepository
    private let channel: ChannelID

    package init(_ client: CausewayClient, in channel: ChannelID) {
        repository = client.messages
        self.channel = channel
    }

    /// *Text message*, with `try await`. The message is stored and visible when the call returns; `delivered` waits
    /// for the server.
    package func sendText() async throws -> ServerPosition {
        let message = try await repository.createTextMessage("Hi!", in: channel, tags: ["greeting"])
        return try await message.delivered()
    }

    /// *Text message* with a completion: called when the delivery has ended. The id is there at once.
    package func sendText(
        completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        repository.createTextMessage("Hi!", in: channel, completion: completion)
    }

    /// *Threaded reply*: the parent may still be on its way.
    package func reply(to parent: MessageID) async throws -> MessageHandle {
        try await repository.createTextMessage("Hi yourself!", in: channel, parent: parent)
    }

    /// *Custom message* with a dictionary.
    package func sendCustom() async throws -> MessageHandle {
        try await repository.createCustomMessage(["kind": "poll", "choices": ["yes", "no"]], in: channel)
    }

    /// *Custom message* with a type of the application, which `Message.data(as:)` reads.
    package func sendLocation(_ location: Location) async throws -> MessageHandle {
        try await repository.createCustomMessage(encoding: location, in: channel)
    }

    package struct Location: Codable, Hashable, Sendable {
        package var latitude: Double
        package var longitude: Double

        package init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// *Image message* from a file, with a completion. The file is copied; it is uploaded when the network allows.
    package func sendImage(
        at path: String, completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        repository.createImageMessage(
            MediaSource(path: path), in: channel, caption: "A pixel", completion: completion)
    }
}
