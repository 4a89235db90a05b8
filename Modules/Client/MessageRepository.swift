import CausewayLive
public import CausewayModels
import CausewayOutbox
import CausewayRuntime
public import CausewayStorage
import CausewaySync
import CausewayTransport

/// Creating, reading, resending and deleting messages.
///
/// Reached as ``CausewayClient/messages``. Thread-safe.
public struct MessageRepository: Sendable {
    let engine: SyncEngine
    let store: any Store
    let runtime: any Runtime
    let live: LiveRouter
    let ordering: OrderingPolicy

    // MARK: - Creating

    /// Creates a text message. When it returns, the message is durable and visible, and it will be sent.
    ///
    /// Messages that one task creates one after the other keep that order in their lane. Needs no network.
    ///
    /// Throws ``ClientError/content(_:)`` for a text that is empty or over ``Limits/textBytesMax``,
    /// ``SyncError/noSession``, and ``ClientError/store(_:)``, for instance on a full disk.
    ///
    /// - Parameter parent: the message that it answers, which may itself be undelivered or failed: the reply then
    ///   follows it, and is given up when that one is deleted before it was sent.
    public func createTextMessage(
        _ text: String, in channel: ChannelID, parent: MessageID? = nil
    ) async throws(ClientError) -> MessageHandle {
        try await create(.text(text), in: channel, parent)
    }

    /// Creates a custom message; `data` must be a JSON object. Like ``createTextMessage(_:in:parent:)`` in everything
    /// else.
    public func createCustomMessage(
        _ data: JSONValue, in channel: ChannelID, parent: MessageID? = nil
    ) async throws(ClientError) -> MessageHandle {
        try await create(.custom(data), in: channel, parent)
    }

    /// Creates a text message, and calls `completion` once when its delivery has ended.
    ///
    /// `completion` is called after the commit, on no lock and on no particular thread; whoever is told of a delivery
    /// can already read the message as `synced`. It is not called for what throws.
    @discardableResult
    public func createTextMessage(
        _ text: String, in channel: ChannelID,
        completion: @escaping @Sendable (Result<Placement, DeliveryError>) -> Void
    ) async throws(ClientError) -> MessageHandle {
        report(try await create(.text(text), in: channel), to: completion)
    }

    /// Creates a custom message, and calls `completion` once when its delivery has ended.
    @discardableResult
    public func createCustomMessage(
        _ data: JSONValue, in channel: ChannelID,
        completion: @escaping @Sendable (Result<Placement, DeliveryError>) -> Void
    ) async throws(ClientError) -> MessageHandle {
        report(try await create(.custom(data), in: channel), to: completion)
    }

    private func create(
        _ content: MessageContent, in channel: ChannelID, _ parent: MessageID? = nil
    ) async throws(ClientError) -> MessageHandle {
        try validate(content)
        let content = content.normalized
        guard let session = engine.currentSession else { throw .sync(.noSession) }
        let draft = MessageDraft(
            id: MessageID(runtime.makeUUIDv7()), channel: channel, sender: session.user,
            role: parent.map { .reply(to: $0) } ?? .message, content: content, createdAt: runtime.wallClock,
            lane: ordering.lane(for: content.type, in: channel), account: session.account)
        let message: Message
        do throws(StoreError) {
            message = try await store.enqueue(draft)
        } catch .otherAccount {
            // Its session ended, and somebody else's began, while it was on its way into the store.
            throw .sync(.noSession)
        } catch {
            throw .store(error)
        }
        await live.catchUp()
        return MessageHandle(message: message, account: session.account, engine: engine)
    }

    func validate(_ content: MessageContent) throws(ClientError) {
        do throws(ContentProblem) {
            try content.validate(codedBytes: codedBytes(of: content))
        } catch {
            throw .content(error)
        }
    }

    private func codedBytes(of content: MessageContent) -> Int {
        guard case .custom = content else { return 0 }
        return content.jsonText?.count ?? .max
    }

    private func report(
        _ handle: MessageHandle, to completion: @escaping @Sendable (Result<Placement, DeliveryError>) -> Void
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

    /// The message with this id; `nil` when there is none here.
    public func getMessage(_ id: MessageID) async throws(ClientError) -> Message? {
        do throws(StoreError) { return try await store.message(id) } catch { throw .store(error) }
    }

    /// A handle on a message that exists already, to wait for its delivery.
    public func handle(of id: MessageID) async throws(ClientError) -> MessageHandle {
        guard let message = try await getMessage(id) else { throw .sync(.messageNotFound(id)) }
        let session: Session?
        do throws(StoreError) { session = try await store.session() } catch { throw .store(error) }
        return MessageHandle(message: message, account: session?.account, engine: engine)
    }

    /// A page of what is stored of a channel, newest first: what is undelivered, then what the server has placed.
    ///
    /// - Parameters:
    ///   - limit: how many messages at the most.
    ///   - before: where the page begins: ``MessagePage/next`` of the page before, or `nil` for the newest.
    public func getMessages(
        in channel: ChannelID, limit: Int = Limits.pageSizeDefault, before: MessageCursor? = nil
    ) async throws(ClientError) -> MessagePage {
        try await page(MessageQuery(scope: .channel(channel), direction: .descending, after: before, limit: limit))
    }

    /// Asks the server for the newest messages of a channel, or those before a position, and stores them.
    ///
    /// Throws ``SyncError/transport(_:)`` when the server cannot be asked; what is stored can be read all the same.
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

    /// A page of the outbox, oldest first: everything that is not `synced`, and why.
    public func outbox(
        limit: Int = Limits.pageSizeDefault, after: MessageCursor? = nil
    ) async throws(ClientError) -> OutboxPage {
        try await items(MessageQuery(scope: .undelivered, after: after, limit: limit))
    }

    /// A page of the failed messages, oldest first; of one channel when given.
    public func failedMessages(
        in channel: ChannelID? = nil, limit: Int = Limits.pageSizeDefault, after: MessageCursor? = nil
    ) async throws(ClientError) -> MessagePage {
        try await page(MessageQuery(scope: .failed(in: channel), after: after, limit: limit))
    }

    /// Past deletions, newest first, below `before` when given.
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

    private func items(_ query: MessageQuery) async throws(ClientError) -> OutboxPage {
        let page = try await page(query)
        let reasons = await engine.waitReasons(for: page.messages)
        return OutboxPage(
            items: page.messages.map { OutboxItem(message: $0, wait: reasons[$0.id]) }, next: page.next)
    }

    // MARK: - Resending and deleting

    /// Puts a failed message back into the queue, at the tail of its lane, under the same id.
    ///
    /// An edit or a reaction that a later one on the same message replaced is not put back: it ends.
    ///
    /// Throws ``SyncError/messageNotFound(_:)``, ``SyncError/notFailed(_:_:)``, ``SyncError/noSession``,
    /// ``SyncError/overtaken(_:)``,
    /// ``SyncError/notYours(_:)`` and ``ClientError/store(_:)``.
    public func resend(_ id: MessageID) async throws(ClientError) {
        guard try await resend([id]).isEmpty else { return }
        guard let message = try await getMessage(id) else { throw .sync(.messageNotFound(id)) }
        throw .sync(message.syncState == .error ? .overtaken(id) : .notFailed(id, message.syncState))
    }

    /// Puts failed messages back into the queue, in the order of their creation. Others are left alone.
    /// Throws ``SyncError/notYours(_:)`` when one of them is somebody else's (none goes back then), and
    /// ``SyncError/noSession``.
    ///
    /// - Returns: those that went back.
    public func resend(_ ids: [MessageID]) async throws(ClientError) -> [MessageID] {
        do throws(SyncError) { return try await engine.resend(ids) } catch { throw .sync(error) }
    }

    /// Puts all failed messages back into the queue, oldest first, in steps: when it throws, those of the steps before
    /// are back in the queue.
    ///
    /// - Parameter progress: called with the number so far, after each step of a few hundred.
    /// - Returns: how many.
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

    /// Deletes a message, wherever it is: a queued one never leaves, one on its way is followed by a deletion, and a
    /// synced one is deleted on the server, through the outbox. The deletion is recorded.
    ///
    /// Throws ``SyncError/messageNotFound(_:)``.
    public func softDeleteMessage(
        _ id: MessageID, by origin: DeleteAction.Origin = .api
    ) async throws(ClientError) {
        guard try await softDeleteMessages([id], by: origin).isEmpty else { return }
        throw .sync(.messageNotFound(id))
    }

    /// Deletes several messages in one commit.
    ///
    /// - Returns: those that were there.
    public func softDeleteMessages(
        _ ids: [MessageID], by origin: DeleteAction.Origin = .api
    ) async throws(ClientError) -> [MessageID] {
        do throws(SyncError) { return try await engine.delete(ids, by: origin) } catch { throw .sync(error) }
    }

    /// Deletes the failed messages of a channel.
    ///
    /// - Returns: how many.
    public func deleteFailedMessages(
        in channel: ChannelID, by origin: DeleteAction.Origin = .api, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await deleteFailed(in: channel, by: origin, progress: progress)
    }

    /// Deletes all failed messages.
    ///
    /// - Returns: how many.
    public func deleteAllFailedMessages(
        by origin: DeleteAction.Origin = .api, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await deleteFailed(in: nil, by: origin, progress: progress)
    }

    private func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin, progress: @Sendable (Int) -> Void
    ) async throws(ClientError) -> Int {
        var total = 0
        do throws(SyncError) {
            while true {
                let count = try await engine.deleteFailedStep(in: channel, by: origin)
                if count == 0 { return total }
                total += count
                progress(total)
            }
        } catch {
            throw .sync(error)
        }
    }
}
