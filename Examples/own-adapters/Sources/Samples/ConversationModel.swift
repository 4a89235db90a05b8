package import Causeway
import Observation

/// The rows of a table view of a conversation, oldest first, that grow at the top when the user scrolls there.
@MainActor @Observable
package final class ConversationModel {
    /// One row of the table.
    package struct Row: Sendable, Hashable, Identifiable {
        package let id: MessageID
        package let text: String
        package let state: SyncState
    }

    package private(set) var rows: [Row] = []
    /// The changes of the rows, for a table that animates them.
    @ObservationIgnored package var onChange: ((LiveCollectionChange<Message>) -> Void)?

    private let messages: LiveCollection<Message>
    @ObservationIgnored private var token: NotificationToken?

    /// Shows what is stored when it returns.
    package convenience init(_ client: CausewayClient, in channel: ChannelID, pageSize: Int = 20) async {
        await self.init(client.messages.getMessages(in: channel, pageSize: pageSize))
    }

    /// Shows any list of messages: a preview or a test passes a constant one.
    package init(_ messages: LiveCollection<Message>) async {
        self.messages = await messages.ready()
        token = self.messages.observe { [weak self] _, change in self?.apply(change) }
        rows = self.messages.snapshots.map(Self.row)
    }

    package var isLoading: Bool { messages.isLoading }
    package var isLoadingOlder: Bool { messages.isLoadingPrevious }
    package var hasOlder: Bool { messages.hasPrevious }
    package var errorText: String? { messages.error?.localizedDescription }

    /// Loads the page before the first row; called at every scroll event near the top.
    @discardableResult
    package func loadOlder() async throws -> Int { try await messages.previousPage() }

    package func pullToRefresh() async throws { try await messages.refresh() }

    private func apply(_ change: LiveCollectionChange<Message>) {
        for index in change.deletions.reversed() where change.oldSnapshot.count == rows.count { rows.remove(at: index) }
        if rows.count != change.oldSnapshot.count - change.deletions.count {
            rows = change.snapshot.map(Self.row)
        } else {
            for index in change.insertions { rows.insert(Self.row(change.snapshot[index]), at: index) }
            for index in change.modifications { rows[index] = Self.row(change.snapshot[index]) }
        }
        onChange?(change)
    }

    private static func row(_ message: Message) -> Row {
        Row(id: message.id, text: message.text ?? message.caption ?? "", state: message.syncState)
    }
}
