package import CausewayModels

/// A part of the outbox and its order.
package struct OutboxQuery: Sendable, Hashable {
    /// All channels when `nil`.
    package var channel: ChannelID?
    /// All states when `nil`; the outbox has no `synced` messages.
    package var state: SyncState?
    /// Reverses the order, which is by creation, or, for one state that is still to be sent, the sending order.
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
    /// Returns a page of all messages that are not `synced`, oldest first, with their wait reasons.
    package func outbox(_ range: PageRange) async throws(ControlError) -> MessageListResponse {
        try await outbox(OutboxQuery(range: range))
    }
}
