public import CausewayModels
import CausewayRecords
import CausewayStorage
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
    /// An owner or a moderator of a channel also deletes the messages of others in it. The role is that of the stored
    /// ``ChannelMember``; if none is stored, the server is asked for it first.
    ///
    /// Throws ``ClientError/messageNotFound(_:)``, ``ClientError/notAuthor(_:)`` for a message of another user in a
    /// channel that this one does not moderate, ``ClientError/transport(_:)`` if the server has to be asked and cannot
    /// be reached, and ``ClientError/notSupported(_:)`` for a message that is on its way to a server that deletes none,
    /// or is there already.
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
        var moderated: Set<ChannelID> = []
        while true {
            do throws(SyncError) {
                return try await engine.delete(ids, by: origin, moderating: moderated)
            } catch {
                // Each round admits one more channel.
                guard case .notAuthor(let id) = error, let channel = try await storedMessage(id)?.channel,
                    !moderated.contains(channel), try await isModerated(channel)
                else { throw ClientError(error) }
                moderated.insert(channel)
            }
        }
    }

    /// True if the user of the current account, logged in or not, moderates the channel.
    private func isModerated(_ channel: ChannelID) async throws(ClientError) -> Bool {
        let session: Session?
        do throws(StoreError) { session = try await store.session() } catch { throw ClientError(error) }
        guard let user = session?.user else { return false }
        let id = ChannelMemberID(channel: channel, user: user).description
        if let role = try await storedRole(id) { return role.moderates }
        do throws(SyncError) {
            try await engine.refreshRecord(
                ChannelMember.kind, id, interpret: { $0.stored(as: ChannelMember.self) })
        } catch {
            switch error {
            // A server without roles, or none to ask.
            case .noSession, .transport(.refused): return false
            default: throw ClientError(error)
            }
        }
        return try await storedRole(id)?.moderates ?? false
    }

    private func storedRole(_ member: String) async throws(ClientError) -> ChannelRole? {
        do throws(StoreError) {
            return try await store.record(ChannelMember.kind, member).flatMap(ChannelMember.init(stored:))?.role
        } catch {
            throw ClientError(error)
        }
    }

    /// Deletes all failed messages; those of one channel if given. Failed edits and reactions remain. In steps: if this
    /// throws, the messages of earlier steps are deleted. Needs neither a session nor a network.
    ///
    /// Throws ``ClientError/store(_:)``.
    ///
    /// - Parameters:
    ///   - channel: only messages of this channel; all of them without it.
    ///   - origin: the part of the application that asked for it; recorded in the ``DeleteAction``.
    ///   - progress: called with the number so far, after each step of a few hundred.
    /// - Returns: the number of deleted messages.
    @discardableResult
    public func deleteFailedMessages(
        in channel: ChannelID? = nil, by origin: DeleteAction.Origin = .api,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await deleteFailed(in: channel, by: origin, messagesOnly: true, progress: progress).total
    }

    /// Deletes all failed messages, edits and reactions; of one channel if given.
    ///
    /// - Returns: the number of deleted operations.
    @discardableResult
    public func deleteFailedOperations(
        in channel: ChannelID? = nil, by origin: DeleteAction.Origin = .api,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> Int {
        try await deleteFailed(in: channel, by: origin, progress: progress).total
    }

    /// Deletes what failed, and returns how much of it were messages.
    package func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin, messagesOnly: Bool = false,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(ClientError) -> OperationCount {
        var count = OperationCount()
        do throws(SyncError) {
            while true {
                let step = try await engine.deleteFailedStep(
                    in: channel, by: origin, messagesOnly: messagesOnly)
                if step.total == 0 { return count }
                count += step
                progress(count.total)
            }
        } catch {
            throw ClientError(error)
        }
    }
}
