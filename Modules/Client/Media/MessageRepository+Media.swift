public import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewaySync
import CausewayTransport

/// Messages with a file.
///
/// When a creation returns, the message and the store's own copy of the file are durable. The file is uploaded, and
/// then the message is sent, when the network allows; texts do not wait for it (``OrderingPolicy``).
///
/// Every creation throws, and leaves neither a message nor a part of a file behind:
///
/// - ``ClientError/blob(_:)`` if the file is missing or cannot be read, is a folder, a device, a pipe or a socket, is
///   larger than the server is known to accept (before anything is copied), or changes while it is copied.
/// - ``ClientError/store(_:)`` if the disk is full.
/// - ``ContentProblem/contentTypeDiffers(_:found:)`` if the bytes are not of the kind of the message, whatever the name
///   says. As a file message anything can be sent, an empty file as well.
/// - ``ContentProblem/captionTooLong(bytes:limit:)``, ``ContentProblem/previewTooLong(bytes:limit:)`` and
///   ``ContentProblem/unsupported(_:)``, the last one if the server or the store has no files.
/// - the errors of ``createTextMessage(_:in:parent:tags:)``.
///
/// Cost: a copy of the file, in parts of ``Limits/blobPartBytesMax``. Cancelling the calling task ends it.
extension MessageRepository {
    /// Creates an image message.
    @discardableResult
    public func createImageMessage(
        _ file: MediaSource, in channel: ChannelID, caption: String? = nil, parent: MessageID? = nil,
        tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await create(.image, file, in: channel, caption: caption, parent, tags)
    }

    /// Creates a video message.
    @discardableResult
    public func createVideoMessage(
        _ file: MediaSource, in channel: ChannelID, caption: String? = nil, parent: MessageID? = nil,
        tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await create(.video, file, in: channel, caption: caption, parent, tags)
    }

    /// Creates an audio message.
    @discardableResult
    public func createAudioMessage(
        _ file: MediaSource, in channel: ChannelID, parent: MessageID? = nil,
        tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await create(.audio, file, in: channel, caption: nil, parent, tags)
    }

    /// Creates a file message.
    @discardableResult
    public func createFileMessage(
        _ file: MediaSource, in channel: ChannelID, caption: String? = nil, parent: MessageID? = nil,
        tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await create(.file, file, in: channel, caption: caption, parent, tags)
    }

    private func create(
        _ type: MessageType, _ file: MediaSource, in channel: ChannelID, caption: String?, _ parent: MessageID?,
        _ tags: [String]
    ) async throws(ClientError) -> MessageHandle {
        let (id, session) = (MessageID(runtime.makeUUIDv7()), engine.currentSession)
        return try await create(type, file, in: channel, caption: caption, parent, tags, id: id, for: session)
    }

    func create(
        _ type: MessageType, _ file: MediaSource, in channel: ChannelID, caption: String?, _ parent: MessageID?,
        _ tags: [String], id: MessageID, for session: Session?
    ) async throws(ClientError) -> MessageHandle {
        let bytesMax = try fileBytesMax(for: type)
        if let caption, caption.utf8.count > Limits.captionBytesMax {
            throw .content(.captionTooLong(bytes: caption.utf8.count))
        }
        if let preview = file.preview, preview.count > Limits.previewBytesMax {
            throw .content(.previewTooLong(bytes: preview.count))
        }
        let tags = try Self.validated(tags)
        guard let files, let session else { throw .noSession }
        let reference = BlobReference(account: session.account, message: id)
        return try await files.collector.creating(id) { () async throws(ClientError) in
            var attachment = try await files.add(file, for: reference, bytesMax: bytesMax)
            do throws(ClientError) {
                if let name = file.name { attachment.name = Attachment.name(ofPath: name) }
                attachment.preview = file.preview.flatMap { $0.isEmpty ? nil : $0 }
                let content = try Self.content(type, attachment, caption)
                return try await create(content, in: channel, parent, tags, id: id, for: session)
            } catch {
                await files.release(reference)
                throw error
            }
        }
    }

    /// The size of the largest file that may be attached, as far as it is known.
    private func fileBytesMax(for type: MessageType) throws(ClientError) -> Int64 {
        guard files != nil else { throw .content(.unsupported(type)) }
        guard let capabilities = engine.currentCapabilities else { return Limits.fileBytesMax }
        guard capabilities.operations.contains(.create) else { throw .notSupported(.create) }
        guard let bytesMax = capabilities.content.fileBytesMax else { throw .content(.unsupported(type)) }
        return min(bytesMax, engine.currentMedia?.fileBytesMax ?? bytesMax)
    }

    private static func content(
        _ type: MessageType, _ attachment: Attachment, _ caption: String?
    ) throws(ClientError) -> MessageContent {
        let kind = attachment.contentType.prefix { $0 != "/" }
        let caption = caption.flatMap { $0.isEmpty ? nil : $0 }
        switch (type, kind) {
        case (.image, "image"): return .image(attachment, caption: caption)
        case (.video, "video"): return .video(attachment, caption: caption)
        case (.audio, "audio"): return .audio(attachment)
        case (.file, _): return .file(attachment, caption: caption)
        default: throw .content(.contentTypeDiffers(type, found: attachment.contentType))
        }
    }
}
