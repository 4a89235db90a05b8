import CausewayLiveQuery
public import CausewayModels
import CausewayOutbox
import CausewayRuntime
public import CausewayStorage
import CausewaySync
import CausewayTransport

/// Creates, reads, resends, changes and deletes messages.
///
/// Available as ``CausewayClient/messages``. Thread-safe. Queries that begin with `get` return a live object or a live
/// collection at once; the other ones read once.
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
    /// Creations of callers that do not wait.
    let creations: CreationQueue
    /// The same with a file, whose copy takes time: others do not wait for it.
    let mediaCreations: CreationQueue

    // MARK: - Reading

    /// The stored message with this id; `nil` if it does not exist here. ``getMessage(_:)`` returns a live object.
    public func storedMessage(_ id: MessageID) async throws(ClientError) -> Message? {
        do throws(StoreError) { return try await store.message(id) } catch { throw ClientError(error) }
    }

    /// A handle to an existing message, for awaiting its delivery.
    ///
    /// Throws ``ClientError/messageNotFound(_:)`` if it is not stored here.
    public func handle(of id: MessageID) async throws(ClientError) -> MessageHandle {
        guard let message = try await storedMessage(id) else { throw .messageNotFound(id) }
        let session: Session?
        do throws(StoreError) { session = try await store.session() } catch { throw ClientError(error) }
        return makeHandle(message, session?.account)
    }

    func makeHandle(_ message: Message, _ account: Account?) -> MessageHandle {
        MessageHandle(message: message, account: account, engine: engine, liveEngine: live, server: server)
    }

    /// A handle to an operation, for awaiting its delivery: the creation of a message, delivered or not, or an edit or
    /// a reaction in the outbox.
    public func handle(ofOperation id: OperationID) async throws(ClientError) -> OperationHandle {
        var exists = try await storedMessage(id) != nil
        if !exists { exists = try await storedOperation(id) != nil }
        guard exists else { throw .messageNotFound(id) }
        let session: Session?
        do throws(StoreError) { session = try await store.session() } catch { throw ClientError(error) }
        return OperationHandle(id: id, account: session?.account, engine: engine)
    }

    /// A page of the stored messages of a channel, newest first: undelivered messages, then those with a position on
    /// the server. ``getMessages(in:direction:anchor:pageSize:)`` returns a live collection.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - limit: the maximum number of messages.
    ///   - before: the start of the page: ``MessagePage/next`` of the page before, or `nil` for the newest.
    public func storedMessages(
        in channel: ChannelID, limit: Int = Limits.pageSizeDefault, before: MessageCursor? = nil
    ) async throws(ClientError) -> MessagePage {
        try await page(MessageQuery(scope: .channel(channel), direction: .descending, after: before, limit: limit))
    }

    /// Requests the newest messages of a channel, or those before a position, from the server and stores them.
    ///
    /// Throws ``ClientError/noSession``, ``ClientError/transport(_:)`` if the server cannot be asked, and
    /// ``ClientError/store(_:)``; stored messages can be read in any case.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - limit: the maximum number of messages, up to ``Limits/pageSizeMax``; a server may return fewer.
    ///   - position: messages at lower positions are requested; `nil` for the newest ones.
    public func refreshMessages(
        in channel: ChannelID, limit: Int = Limits.pageSizeDefault, before position: Int64? = nil
    ) async throws(ClientError) {
        let range = position.map { RemoteQuery.Range.before(position: $0) } ?? .newest
        do throws(SyncError) {
            try await engine.refresh(RemoteQuery(channel: channel, range: range, limit: limit))
        } catch {
            throw ClientError(error)
        }
    }

    /// A page of the outbox, oldest first: all operations that the server has not confirmed, with the reasons. Cost:
    /// linear in the size of the page.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of operations, 1 to ``Limits/pageSizeMax``.
    ///   - after: the start of the page: ``OutboxPage/next`` of the page before, or `nil` for the oldest.
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
            throw ClientError(error)
        }
    }

    /// The operation with this id; `nil` if there is none, or the server has confirmed it.
    public func storedOperation(_ id: OperationID) async throws(ClientError) -> QueuedOperation? {
        do throws(StoreError) { return try await store.operation(id) } catch { throw ClientError(error) }
    }

    /// Past deletions, newest first, below `before` if given.
    public func deleteActions(
        limit: Int = Limits.pageSizeDefault, before: Int64? = nil
    ) async throws(ClientError) -> [DeleteAction] {
        do throws(StoreError) {
            return try await store.deleteActions(before: before, limit: min(max(1, limit), Limits.pageSizeMax))
        } catch {
            throw ClientError(error)
        }
    }

    private func page(_ query: MessageQuery) async throws(ClientError) -> MessagePage {
        do throws(StoreError) { return try await store.page(query) } catch { throw ClientError(error) }
    }

    // MARK: - Resending and deleting

    /// Returns a failed message, edit or reaction to the queue, at the tail of its lane, under the same id.
    ///
    /// An edit or a reaction that a later one on the same message replaced is not queued again but removed.
    ///
    /// Throws ``ClientError/messageNotFound(_:)``, ``ClientError/notFailed(_:_:)``, ``ClientError/noSession``,
    /// ``ClientError/overtaken(_:)``, ``ClientError/notAuthor(_:)`` and ``ClientError/store(_:)``.
    public func resend(_ id: MessageID) async throws(ClientError) {
        guard try await resend([id]).isEmpty else { return }
        var state = try await storedMessage(id)?.syncState
        if state == nil { state = try await storedOperation(id)?.syncState }
        guard let state else { throw .messageNotFound(id) }
        throw state == .error ? .overtaken(id) : .notFailed(id, state)
    }

    /// Returns failed messages, edits and reactions to the queue, in the order of their creation. Others are left
    /// alone. Throws ``ClientError/notAuthor(_:)`` if one of them belongs to another user (none is queued then), and
    /// ``ClientError/noSession``.
    ///
    /// - Returns: the messages that were queued again.
    public func resend(_ ids: [MessageID]) async throws(ClientError) -> [MessageID] {
        do throws(SyncError) { return try await engine.resend(ids) } catch { throw ClientError(error) }
    }

    /// Returns all failed messages, edits and reactions to the queue, oldest first, in steps: if this throws, those of
    /// earlier steps have been queued again. What failed in other accounts is left alone.
    ///
    /// Throws ``ClientError/noSession`` and ``ClientError/store(_:)``.
    ///
    /// - Parameters:
    ///   - channel: only operations of this channel; all of them without it.
    ///   - progress: called with the number so far, after each step of a few hundred.
    /// - Returns: the number of operations that were queued again.
    public func resendFailedMessages(
        in channel: ChannelID? = nil, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await resendFailed(in: channel, progress: progress).total
    }

    /// Returns what failed to the queue, and returns how much of it were messages.
    package func resendFailed(
        in channel: ChannelID?, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> OperationCount {
        var count = OperationCount()
        var cursor: MessageCursor?
        do throws(SyncError) {
            repeat {
                let step = try await engine.resendFailedStep(in: channel, after: cursor)
                count += step.count
                cursor = step.next
                progress(count.total)
            } while cursor != nil
            return count
        } catch {
            throw ClientError(error)
        }
    }
}
