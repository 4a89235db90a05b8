public import CausewayModels
import CausewayRuntime
import CausewaySync

/// Messages with a file, for callers that do not wait.
///
/// Each form returns the id of the message at once, and calls `completion` on the main actor, once, when the delivery
/// has ended. The file is copied, and the message stored, soon afterwards, in the order of these calls; text and custom
/// messages do not wait for that. The results are those of
/// ``MessageRepository/createTextMessage(_:in:parent:tags:completion:)``, with the errors of
/// ``MessageRepository/createImageMessage(_:in:caption:parent:tags:)``; at most ``Limits/creationsMax`` creations may
/// wait.
extension MessageRepository {
    /// Creates an image message.
    @discardableResult
    public func createImageMessage(
        _ file: MediaSource, in channel: ChannelID, caption: String? = nil, parent: MessageID? = nil,
        tags: [String] = [], completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        create(.image, file, in: channel, caption: caption, parent, tags, completion)
    }

    /// Creates a video message.
    @discardableResult
    public func createVideoMessage(
        _ file: MediaSource, in channel: ChannelID, caption: String? = nil, parent: MessageID? = nil,
        tags: [String] = [], completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        create(.video, file, in: channel, caption: caption, parent, tags, completion)
    }

    /// Creates an audio message.
    @discardableResult
    public func createAudioMessage(
        _ file: MediaSource, in channel: ChannelID, parent: MessageID? = nil,
        tags: [String] = [], completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        create(.audio, file, in: channel, caption: nil, parent, tags, completion)
    }

    /// Creates a file message.
    @discardableResult
    public func createFileMessage(
        _ file: MediaSource, in channel: ChannelID, caption: String? = nil, parent: MessageID? = nil,
        tags: [String] = [], completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        create(.file, file, in: channel, caption: caption, parent, tags, completion)
    }

    private func create(
        _ type: MessageType, _ file: MediaSource, in channel: ChannelID, caption: String?, _ parent: MessageID?,
        _ tags: [String], _ completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        let id = MessageID(runtime.makeUUIDv7())
        // The account that is logged in now, whichever is when the turn of this message has come.
        let session = engine.currentSession
        do throws(ClientError) {
            try add(to: mediaCreations, bytes: file.preview?.count ?? 0, completion) { () async throws(ClientError) in
                try await create(type, file, in: channel, caption: caption, parent, tags, id: id, for: session)
            }
        } catch {
            runtime.spawn { await completion(.failure(.notCreated(error))) }
        }
        return id
    }
}
