package import Causeway

/// The documented samples for messages that exist: edit, reactions, deletion, and failed messages.
package struct MessageSamples: Sendable {
    private let repository: MessageRepository

    package init(_ client: CausewayClient) { repository = client.messages }

    /// *Edit a message*. Shown at once, and sent when the network allows.
    package func edit(_ id: MessageID) async throws { try await repository.editTextMessage(id, to: "Hello!") }

    /// *Add and remove a reaction*.
    package func addReaction(to id: MessageID) async throws { try await repository.addReaction("like", to: id) }

    package func removeReaction(from id: MessageID) async throws {
        try await repository.removeReaction("like", from: id)
    }

    /// *Soft delete a message*, in whatever state it is.
    package func delete(_ id: MessageID) async throws { try await repository.softDeleteMessage(id) }

    /// *Delete failed messages*. Returns their number.
    package func deleteFailed() async throws -> Int { try await repository.deleteFailedMessages() }

    /// *Resend a failed message*: one that is `error` returns to the queue.
    package func resend(_ message: Message) async throws {
        guard message.syncState == .error else { return }
        try await repository.resend(message.id)
    }

    /// *Message sync states*: the mark beside a message.
    package static func mark(of message: Message) -> String {
        switch message.syncState {
        case .created, .uploading, .syncing: "…"
        case .synced: "✓"
        case .error: "!"
        }
    }
}

/// *Query and filter messages*: the options of `getMessages`.
@MainActor
package struct QuerySamples {
    private let repository: MessageRepository
    private let channel: ChannelID

    package init(_ client: CausewayClient, in channel: ChannelID) {
        repository = client.messages
        self.channel = channel
    }

    /// All messages, the newest first.
    package func newestFirst() -> LiveCollection<Message> {
        repository.getMessages(options: MessageQueryOptions(channel: channel, sort: .lastCreated))
    }

    /// Messages of one type.
    package func images() -> LiveCollection<Message> {
        repository.getMessages(options: MessageQueryOptions(channel: channel, type: .image))
    }

    /// Messages with one of some tags, and without others.
    package func tagged() -> LiveCollection<Message> {
        repository.getMessages(
            options: MessageQueryOptions(
                channel: channel, includingTags: ["urgent", "greeting"], excludingTags: ["done"]))
    }

    /// The messages that are no replies.
    package func threads() -> LiveCollection<Message> {
        repository.getMessages(options: MessageQueryOptions(channel: channel, messageParentFilter: .noParent))
    }

    /// The replies to one message.
    package func replies(to id: MessageID) -> LiveCollection<Message> {
        repository.getMessages(
            options: MessageQueryOptions(channel: channel, sort: .firstCreated, messageParentFilter: .parent(id)))
    }

    /// With deleted messages, which keep their places.
    package func withDeleted() -> LiveCollection<Message> {
        repository.getMessages(
            options: MessageQueryOptions(channel: channel, sort: .firstCreated, includeDeleted: true))
    }
}
