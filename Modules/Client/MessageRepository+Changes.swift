public import CausewayModels
import CausewayOutbox
import CausewayStorage
import CausewaySync

/// Changes of existing messages: edits and reactions.
///
/// They may be made at any time, whatever the state of the message: queued, being sent, failed, synced. When a call
/// returns, the change is durable and the message displays it (``Message/content``, ``Message/reactions``). Changes
/// that have not been transmitted are merged: the last edit wins, opposite reactions cancel each other. All others
/// follow their message to the server, in the order in which they were made, in a lane of their own that delays no
/// message (except under ``OrderingPolicy/strict``). A change that the server refuses is listed among the failed
/// operations with its reason, and the message no longer displays it.
///
/// Every call throws ``ClientError/notSupported(_:)`` if the server is known not to have such operations.
extension MessageRepository {
    /// Replaces the text of a text message of the own account.
    ///
    /// Throws ``ClientError/content(_:)`` for a text that could not be sent, ``ClientError/messageNotFound(_:)``,
    /// ``ClientError/notAuthor(_:)``, ``ClientError/notAMessage(_:)``, ``ClientError/typeDiffers(_:_:_:)``,
    /// ``ClientError/tooManyOperations(_:)`` and ``ClientError/noSession``.
    public func editTextMessage(_ id: MessageID, to text: String) async throws(ClientError) {
        try await edit(id, to: .text(text))
    }

    /// Replaces the data of a custom message of the own account; otherwise like ``editTextMessage(_:to:)``.
    public func editCustomMessage(_ id: MessageID, to data: JSONValue) async throws(ClientError) {
        try await edit(id, to: .custom(data))
    }

    /// Adds a reaction of the own account to a message; does nothing if it exists already.
    ///
    /// - Parameters:
    ///   - name: 1 to ``Limits/reactionBytesMax`` bytes without control characters; otherwise
    ///     ``ContentProblem/reactionInvalid`` is thrown.
    ///   - id: the message.
    public func addReaction(_ name: String, to id: MessageID) async throws(ClientError) {
        try await react(name, isAdded: true, id)
    }

    /// Removes a reaction of the own account; does nothing if there is none.
    public func removeReaction(_ name: String, from id: MessageID) async throws(ClientError) {
        try await react(name, isAdded: false, id)
    }

    /// The changes to a message that the server has not confirmed, including failed ones, and the replies that wait for
    /// it, in the order in which they were made.
    public func dependants(of id: MessageID) async throws(ClientError) -> [QueuedOperation] {
        do throws(StoreError) { return try await store.dependants(of: id) } catch {
            throw ClientError(error)
        }
    }

    private func edit(_ id: MessageID, to content: MessageContent) async throws(ClientError) {
        try validate(content, for: .edit)
        try await apply(.edit(content), to: id)
    }

    private func react(_ name: String, isAdded: Bool, _ id: MessageID) async throws(ClientError) {
        if engine.currentCapabilities?.operations.contains(.react) == false { throw .notSupported(.react) }
        guard MessageContent.isReactionName(name) else { throw .content(.reactionInvalid) }
        try await apply(.react(name, isAdded: isAdded), to: id)
    }

    private func apply(_ operation: Outbox.OperationRequest, to id: MessageID) async throws(ClientError) {
        do throws(SyncError) {
            _ = try await engine.apply(operation, to: id)
        } catch {
            throw ClientError(error)
        }
    }
}
