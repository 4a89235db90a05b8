public import CausewayModels
import CausewayOutbox
import CausewayStorage
import CausewaySync

/// Creation of messages. A message that was created is stored, not sent: it is durable and visible, and is sent when
/// the network allows.
extension MessageRepository {
    /// Creates a text message. When this returns, the message is stored, not sent: it is durable and visible, and will
    /// be sent; ``MessageHandle/delivered()`` waits for that.
    ///
    /// Messages that one task creates one after the other keep that order in their lane. Needs no network.
    ///
    /// Throws ``ClientError/content(_:)`` for a text that is empty, or longer than ``Limits/textBytesMax`` or than the
    /// server accepts, and for invalid tags, ``ClientError/notSupported(_:)`` if the server takes no messages,
    /// ``ClientError/noSession``, and ``ClientError/store(_:)``, for instance on a full disk. In all of these cases
    /// nothing was stored.
    ///
    /// - Parameters:
    ///   - text: 1 to ``Limits/textBytesMax`` bytes of UTF-8.
    ///   - channel: the channel.
    ///   - parent: the message that this one replies to, which may itself be undelivered or failed: the reply then
    ///     follows it, and fails if that one is deleted before it was sent.
    ///   - tags: words that lists of messages can be chosen by (``MessageQueryOptions/includingTags``), at most
    ///     ``Limits/tagsMax``; a repetition is dropped. See ``MessageTags``.
    @discardableResult
    public func createTextMessage(
        _ text: String, in channel: ChannelID, parent: MessageID? = nil, tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await create(.text(text), in: channel, parent, tags)
    }

    /// Creates a custom message; `data` must be a JSON object. Otherwise like ``createTextMessage(_:in:parent:tags:)``.
    @discardableResult
    public func createCustomMessage(
        _ data: JSONValue, in channel: ChannelID, parent: MessageID? = nil, tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await create(.custom(data), in: channel, parent, tags)
    }

    // MARK: - Without waiting

    /// Creates a text message, returns its id at once, and calls `completion` on the main actor when its delivery has
    /// ended. The message is stored soon afterwards, not sent.
    ///
    /// Messages that are created this way are stored in the order of the calls. `completion` is called once: with the
    /// message as it is on the server; with ``DeliveryError/notCreated(_:)``, and nothing was stored, for the reasons
    /// of ``createTextMessage(_:in:parent:tags:)`` or because ``Limits/creationsMax`` creations wait already; with
    /// ``DeliveryError/failed(_:)`` or ``DeliveryError/deleted`` when the delivery ended otherwise; or with
    /// ``DeliveryError/clientClosed``, and the message remains in the outbox, when the client was closed first.
    @discardableResult
    public func createTextMessage(
        _ text: String, in channel: ChannelID, parent: MessageID? = nil, tags: [String] = [],
        completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        create(.text(text), bytes: text.utf8.count, in: channel, parent, tags, completion)
    }

    /// Creates a custom message, returns its id at once, and calls `completion` on the main actor when its delivery has
    /// ended; otherwise like ``createTextMessage(_:in:parent:tags:completion:)``.
    @discardableResult
    public func createCustomMessage(
        _ data: JSONValue, in channel: ChannelID, parent: MessageID? = nil, tags: [String] = [],
        completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        let content = MessageContent.custom(data)
        return create(content, bytes: codedBytes(of: content), in: channel, parent, tags, completion)
    }

    private func create(
        _ content: MessageContent, bytes: Int, in channel: ChannelID, _ parent: MessageID?, _ tags: [String],
        _ completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void
    ) -> MessageID {
        let id = MessageID(runtime.makeUUIDv7())
        do throws(ClientError) {
            try validate(content, for: .create)
            let tags = try Self.validated(tags)
            guard let session = engine.currentSession else { throw .noSession }
            try add(to: creations, bytes: bytes, completion) { () async throws(ClientError) in
                try await create(content, in: channel, parent, tags, id: id, for: session)
            }
        } catch {
            runtime.spawn { await completion(.failure(.notCreated(error))) }
        }
        return id
    }

    /// Adds a creation to a queue, and calls `completion` when it has failed, or its delivery has ended.
    func add(
        to queue: CreationQueue, bytes: Int,
        _ completion: @escaping @MainActor (Result<Message, DeliveryError>) -> Void,
        _ create: @escaping @Sendable () async throws(ClientError) -> MessageHandle
    ) throws(ClientError) {
        try queue.add(bytes: bytes) {
            do throws(ClientError) {
                let handle = try await create()
                runtime.spawn { await completion(await end(of: handle)) }
            } catch {
                await completion(.failure(.notCreated(error)))
            }
        }
    }

    /// The message as it is after its delivery, shown by all collections.
    private func end(of handle: MessageHandle) async -> Result<Message, DeliveryError> {
        do throws(DeliveryError) {
            try await handle.delivered()
        } catch {
            return .failure(error)
        }
        await live.catchUp()
        do throws(StoreError) {
            return try await store.message(handle.id).map { .success($0) } ?? .failure(.deleted)
        } catch {
            return .failure(error == .closed ? .clientClosed : .unknown)
        }
    }

    // MARK: - Storing

    private func create(
        _ content: MessageContent, in channel: ChannelID, _ parent: MessageID?, _ tags: [String]
    ) async throws(ClientError) -> MessageHandle {
        try validate(content, for: .create)
        let tags = try Self.validated(tags)
        guard let session = engine.currentSession else { throw .noSession }
        let id = MessageID(runtime.makeUUIDv7())
        return try await create(content, in: channel, parent, tags, id: id, for: session)
    }

    /// Creates a message from content and tags that were checked.
    func create(
        _ content: MessageContent, in channel: ChannelID, _ parent: MessageID?, _ tags: [String], id: MessageID,
        for session: Session
    ) async throws(ClientError) -> MessageHandle {
        let content = content.normalized
        let draft = MessageDraft(
            id: id, channel: channel, sender: session.user, parent: parent, tags: tags,
            content: content, createdAt: runtime.wallClock,
            lane: ordering.lane(for: .create(content, parent: parent), in: channel),
            account: session.account)
        let message: Message
        do throws(StoreError) {
            message = try await store.enqueue(draft)
        } catch .otherAccount {
            // The session ended, and another user's began, while the message was being stored.
            throw .noSession
        } catch {
            throw ClientError(error)
        }
        await live.catchUp()
        return makeHandle(message, session.account)
    }

    /// Returns the tags of a new message, each once.
    static func validated(_ tags: [String]) throws(ClientError) -> [String] {
        do throws(ContentProblem) {
            return try MessageTags.validated(tags)
        } catch {
            throw .content(error)
        }
    }

    /// Checks content against the limits of the client, and of the server as far as it is known.
    func validate(_ content: MessageContent, for kind: OperationKind) throws(ClientError) {
        let capabilities = engine.currentCapabilities
        if let capabilities, !capabilities.operations.contains(kind) { throw .notSupported(kind) }
        do throws(ContentProblem) {
            try content.validate(
                codedBytes: codedBytes(of: content), within: capabilities?.content ?? ContentLimits())
        } catch {
            throw .content(error)
        }
    }

    private func codedBytes(of content: MessageContent) -> Int {
        guard case .custom = content else { return 0 }
        return content.jsonText?.count ?? .max
    }
}
