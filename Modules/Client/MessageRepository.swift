import CausewayLiveQuery
public import CausewayModels
import CausewayOutbox
import CausewayRuntime
public import CausewayStorage
import CausewaySync
import CausewayTransport

/// Creates, reads, resends, changes and deletes messages.
///
/// Available as ``CausewayClient/messages``. Thread-safe.
public struct MessageRepository: Sendable {
    let engine: SyncEngine
    let store: any Store
    let runtime: any Runtime
    let live: LiveQueryEngine
    let server: LiveServer
    let ordering: OrderingPolicy
    /// `nil` if the store keeps no files.
    let files: MessageFiles?
    let receivedBytesMax: Int64

    // MARK: - Creating

    /// Creates a text message. When this returns, the message is durable and visible, and it will be sent.
    ///
    /// Messages that one task creates one after the other keep that order in their lane. Needs no network.
    ///
    /// Throws ``ClientError/content(_:)`` for a text that is empty, or longer than ``Limits/textBytesMax`` or than the
    /// server accepts, ``SyncError/notSupported(_:)`` if the server takes no messages, ``SyncError/noSession``, and
    /// ``ClientError/store(_:)``, for instance on a full disk. In all of these cases nothing was stored.
    ///
    /// - Parameter parent: the message that this one replies to, which may itself be undelivered or failed: the reply
    ///   then follows it, and fails if that one is deleted before it was sent.
    public func createTextMessage(
        _ text: String, in channel: ChannelID, parent: MessageID? = nil
    ) async throws(ClientError) -> MessageHandle {
        try await create(.text(text), in: channel, parent)
    }

    /// Creates a custom message; `data` must be a JSON object. Otherwise like ``createTextMessage(_:in:parent:)``.
    public func createCustomMessage(
        _ data: JSONValue, in channel: ChannelID, parent: MessageID? = nil
    ) async throws(ClientError) -> MessageHandle {
        try await create(.custom(data), in: channel, parent)
    }

    /// Creates a text message, and calls `completion` once when its delivery has ended.
    ///
    /// `completion` is called after the commit, without any lock and on no particular thread; when it is called for a
    /// delivery, the message can already be read as `synced`. It is not called if this method throws.
    @discardableResult
    public func createTextMessage(
        _ text: String, in channel: ChannelID,
        completion: @escaping @Sendable (Result<ServerPosition, DeliveryError>) -> Void
    ) async throws(ClientError) -> MessageHandle {
        report(try await create(.text(text), in: channel), to: completion)
    }

    /// Creates a custom message, and calls `completion` once when its delivery has ended.
    @discardableResult
    public func createCustomMessage(
        _ data: JSONValue, in channel: ChannelID,
        completion: @escaping @Sendable (Result<ServerPosition, DeliveryError>) -> Void
    ) async throws(ClientError) -> MessageHandle {
        report(try await create(.custom(data), in: channel), to: completion)
    }

    private func create(
        _ content: MessageContent, in channel: ChannelID, _ parent: MessageID? = nil
    ) async throws(ClientError) -> MessageHandle {
        try validate(content, for: .create)
        guard let session = engine.currentSession else { throw .sync(.noSession) }
        return try await create(content, in: channel, parent, id: MessageID(runtime.makeUUIDv7()), for: session)
    }

    /// Creates a message from content that was checked.
    func create(
        _ content: MessageContent, in channel: ChannelID, _ parent: MessageID?, id: MessageID, for session: Session
    ) async throws(ClientError) -> MessageHandle {
        let content = content.normalized
        let draft = MessageDraft(
            id: id, channel: channel, sender: session.user, parent: parent,
            content: content, createdAt: runtime.wallClock,
            lane: ordering.lane(for: .create(content, parent: parent), in: channel),
            account: session.account)
        let message: Message
        do throws(StoreError) {
            message = try await store.enqueue(draft)
        } catch .otherAccount {
            // The session ended, and another user's began, while the message was being stored.
            throw .sync(.noSession)
        } catch {
            throw .store(error)
        }
        await live.catchUp()
        return MessageHandle(message: message, account: session.account, engine: engine)
    }

    /// Checks content against the limits of the client, and of the server as far as it is known.
    func validate(_ content: MessageContent, for kind: OperationKind) throws(ClientError) {
        let capabilities = engine.currentCapabilities
        if let capabilities, !capabilities.operations.contains(kind) { throw .sync(.notSupported(kind)) }
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

    private func report(
        _ handle: MessageHandle, to completion: @escaping @Sendable (Result<ServerPosition, DeliveryError>) -> Void
    ) -> MessageHandle {
        runtime.spawn {
            do throws(DeliveryError) {
                completion(.success(try await handle.delivered()))
            } catch {
                completion(.failure(error))
            }
        }
        return handle
    }

    // MARK: - Reading

    /// The message with this id; `nil` if it does not exist here.
    public func getMessage(_ id: MessageID) async throws(ClientError) -> Message? {
        do throws(StoreError) { return try await store.message(id) } catch { throw .store(error) }
    }

    /// A handle to an existing message, for awaiting its delivery.
    public func handle(of id: MessageID) async throws(ClientError) -> MessageHandle {
        guard let message = try await getMessage(id) else { throw .sync(.messageNotFound(id)) }
        let session: Session?
        do throws(StoreError) { session = try await store.session() } catch { throw .store(error) }
        return MessageHandle(message: message, account: session?.account, engine: engine)
    }

    /// A handle to an operation, for awaiting its delivery: the creation of a message, delivered or not, or an edit or
    /// a reaction in the outbox.
    public func handle(ofOperation id: OperationID) async throws(ClientError) -> OperationHandle {
        var exists = try await getMessage(id) != nil
        if !exists { exists = try await getOperation(id) != nil }
        guard exists else { throw .sync(.messageNotFound(id)) }
        let session: Session?
        do throws(StoreError) { session = try await store.session() } catch { throw .store(error) }
        return OperationHandle(id: id, account: session?.account, engine: engine)
    }

    /// A page of the stored messages of a channel, newest first: undelivered messages, then those with a position on
    /// the server.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of messages.
    ///   - before: the start of the page: ``MessagePage/next`` of the page before, or `nil` for the newest.
    public func getMessages(
        in channel: ChannelID, limit: Int = Limits.pageSizeDefault, before: MessageCursor? = nil
    ) async throws(ClientError) -> MessagePage {
        try await page(MessageQuery(scope: .channel(channel), direction: .descending, after: before, limit: limit))
    }

    /// Requests the newest messages of a channel, or those before a position, from the server and stores them.
    ///
    /// Throws ``SyncError/transport(_:)`` if the server cannot be asked; stored messages can be read in any case.
    public func refreshMessages(
        in channel: ChannelID, limit: Int = Limits.pageSizeDefault, before position: Int64? = nil
    ) async throws(ClientError) {
        let range = position.map { RemoteQuery.Range.before(position: $0) } ?? .newest
        do throws(SyncError) {
            try await engine.refresh(RemoteQuery(channel: channel, range: range, limit: limit))
        } catch {
            throw .sync(error)
        }
    }

    /// A page of the outbox, oldest first: all operations that the server has not confirmed, with the reasons.
    public func outbox(
        limit: Int = Limits.pageSizeDefault, after: MessageCursor? = nil
    ) async throws(ClientError) -> OutboxPage {
        try await outbox(OperationQuery(scope: .undelivered(in: nil), after: after, limit: limit))
    }

    /// A page of the failed messages, oldest first; of one channel if given.
    public func failedMessages(
        in channel: ChannelID? = nil, limit: Int = Limits.pageSizeDefault, after: MessageCursor? = nil
    ) async throws(ClientError) -> MessagePage {
        try await page(MessageQuery(scope: .failed(in: channel), after: after, limit: limit))
    }

    /// A page of the failed operations, oldest first: creations of messages, edits and reactions; of one channel if
    /// given.
    public func failedOperations(
        in channel: ChannelID? = nil, limit: Int = Limits.pageSizeDefault, after: MessageCursor? = nil
    ) async throws(ClientError) -> OperationPage {
        do throws(StoreError) {
            return try await store.operations(
                OperationQuery(scope: .failed(in: channel), after: after, limit: limit))
        } catch {
            throw .store(error)
        }
    }

    /// The operation with this id; `nil` if there is none, or the server has confirmed it.
    public func getOperation(_ id: OperationID) async throws(ClientError) -> QueuedOperation? {
        do throws(StoreError) { return try await store.operation(id) } catch { throw .store(error) }
    }

    /// Past deletions, newest first, below `before` if given.
    public func deleteActions(
        limit: Int = Limits.pageSizeDefault, before: Int64? = nil
    ) async throws(ClientError) -> [DeleteAction] {
        do throws(StoreError) {
            return try await store.deleteActions(before: before, limit: min(max(1, limit), Limits.pageSizeMax))
        } catch {
            throw .store(error)
        }
    }

    private func page(_ query: MessageQuery) async throws(ClientError) -> MessagePage {
        do throws(StoreError) { return try await store.page(query) } catch { throw .store(error) }
    }

    // MARK: - Resending and deleting

    /// Returns a failed message, edit or reaction to the queue, at the tail of its lane, under the same id.
    ///
    /// An edit or a reaction that a later one on the same message replaced is not queued again but removed.
    ///
    /// Throws ``SyncError/messageNotFound(_:)``, ``SyncError/notFailed(_:_:)``, ``SyncError/noSession``,
    /// ``SyncError/overtaken(_:)``, ``SyncError/notAuthor(_:)`` and ``ClientError/store(_:)``.
    public func resend(_ id: MessageID) async throws(ClientError) {
        guard try await resend([id]).isEmpty else { return }
        var state = try await getMessage(id)?.syncState
        if state == nil { state = try await getOperation(id)?.syncState }
        guard let state else { throw .sync(.messageNotFound(id)) }
        throw .sync(state == .error ? .overtaken(id) : .notFailed(id, state))
    }

    /// Returns failed messages, edits and reactions to the queue, in the order of their creation. Others are left
    /// alone. Throws ``SyncError/notAuthor(_:)`` if one of them belongs to another user (none is queued then), and
    /// ``SyncError/noSession``.
    ///
    /// - Returns: the messages that were queued again.
    public func resend(_ ids: [MessageID]) async throws(ClientError) -> [MessageID] {
        do throws(SyncError) { return try await engine.resend(ids) } catch { throw .sync(error) }
    }

    /// Returns all failed messages, edits and reactions to the queue, oldest first, in steps: if this throws, those of
    /// earlier steps have been queued again.
    ///
    /// - Parameter progress: called with the number so far, after each step of a few hundred.
    /// - Returns: the number of operations that were queued again.
    public func resendFailedMessages(
        in channel: ChannelID? = nil, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        var total = 0
        var cursor: MessageCursor?
        do throws(SyncError) {
            repeat {
                let step = try await engine.resendFailedStep(in: channel, after: cursor)
                total += step.count
                cursor = step.next
                progress(total)
            } while cursor != nil
            return total
        } catch {
            throw .sync(error)
        }
    }
}
