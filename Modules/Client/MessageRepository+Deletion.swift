public import CausewayModels
import CausewaySync

/// Deletion of messages, in whatever state they are.
///
/// When a call returns, the deletion is durable here; on the server it takes effect when the outbox has delivered it.
extension MessageRepository {
    /// Deletes a message, wherever it is: a queued one is never sent, one under way is followed by a deletion, and a
    /// synced one is deleted on the server, through the outbox. The deletion is recorded.
    ///
    /// While no user is logged in, this applies to the messages of the account that was logged in last; a deletion on
    /// the server takes effect when it logs in again.
    ///
    /// Throws ``ClientError/messageNotFound(_:)``, ``ClientError/notAuthor(_:)`` for a message of another user, and
    /// ``ClientError/notSupported(_:)`` for an own message that is on its way to a server that deletes none, or is
    /// there already.
    public func softDeleteMessage(
        _ id: MessageID, by origin: DeleteAction.Origin = .api
    ) async throws(ClientError) {
        guard try await softDeleteMessages([id], by: origin).isEmpty else { return }
        throw .messageNotFound(id)
    }

    /// Deletes several messages in one commit, or none if one of them cannot be deleted; otherwise like
    /// ``softDeleteMessage(_:by:)``.
    ///
    /// - Returns: the ids of the messages that existed.
    public func softDeleteMessages(
        _ ids: [MessageID], by origin: DeleteAction.Origin = .api
    ) async throws(ClientError) -> [MessageID] {
        do throws(SyncError) { return try await engine.delete(ids, by: origin) } catch { throw ClientError(error) }
    }

    /// Deletes all failed messages; those of one channel if given. Failed edits and reactions remain.
    ///
    /// - Parameter progress: called with the number so far, after each step of a few hundred.
    /// - Returns: the number of deleted messages.
    @discardableResult
    public func deleteFailedMessages(
        in channel: ChannelID? = nil, by origin: DeleteAction.Origin = .api,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await deleteFailed(in: channel, by: origin, messagesOnly: true, progress: progress)
    }

    /// Deletes all failed messages, edits and reactions; of one channel if given.
    ///
    /// - Returns: the number of deleted operations.
    @discardableResult
    public func deleteFailedOperations(
        in channel: ChannelID? = nil, by origin: DeleteAction.Origin = .api,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await deleteFailed(in: channel, by: origin, messagesOnly: false, progress: progress)
    }

    private func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin, messagesOnly: Bool,
        progress: @Sendable (Int) -> Void
    ) async throws(ClientError) -> Int {
        var total = 0
        do throws(SyncError) {
            while true {
                let count = try await engine.deleteFailedStep(
                    in: channel, by: origin, messagesOnly: messagesOnly)
                if count == 0 { return total }
                total += count
                progress(total)
            }
        } catch {
            throw ClientError(error)
        }
    }
}
