package import Causeway

/// Which part of the outbox, in which order.
package struct OutboxQuery: Sendable, Hashable {
    /// All channels when `nil`.
    package var channel: ChannelID?
    /// All states when `nil`; nothing is `synced` here.
    package var state: SyncState?
    /// By creation, or, for one state that still goes, by the order in which they will be sent: the last first.
    package var newestFirst: Bool
    package var range: PageRange

    package init(
        channel: ChannelID? = nil, state: SyncState? = nil, newestFirst: Bool = false, range: PageRange = PageRange()
    ) {
        self.channel = channel
        self.state = state
        self.newestFirst = newestFirst
        self.range = range
    }
}

extension ControlService {
    /// A page of everything that is not `synced`, oldest first, and why.
    package func outbox(_ range: PageRange) async throws(ControlError) -> MessageListForm {
        try await outbox(OutboxQuery(range: range))
    }
}
