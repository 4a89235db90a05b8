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

    /// The way from the earlier rows to ``rows``, for a table that shows the earlier ones.
    package enum Update: Sendable {
        /// All rows are others.
        case reload
        /// The change's deletions, insertions and modifications, which a table can animate.
        case changes(LiveCollectionChange<Message>)
    }

    package private(set) var rows: [Row] = []
    /// Called after each change of ``rows`` since the model was made.
    @ObservationIgnored package var onUpdate: ((Update) -> Void)?

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
        // The observer's first change begins with no rows. These rows are shown already, or most of them are.
        guard change.oldSnapshot.count == rows.count else {
            let shown = change.snapshot.map(Self.row)
            if shown == rows { return }
            rows = shown
            onUpdate?(.reload)
            return
        }
        // Of the status alone.
        if change.isDataUnchanged { return }
        for index in change.deletions.reversed() { rows.remove(at: index) }
        for index in change.insertions { rows.insert(Self.row(change.snapshot[index]), at: index) }
        for index in change.modifications { rows[index] = Self.row(change.snapshot[index]) }
        onUpdate?(.changes(change))
    }

    private static func row(_ message: Message) -> Row {
        Row(id: message.id, text: message.text ?? message.caption ?? "", state: message.syncState)
    }
}
