package import Causeway

/// The followed messages: the newest of a channel.
package struct FollowQuery: Sendable, Hashable {
    package var channel: ChannelID
    /// The number of messages at the start, 1 to ``Limits/pageSizeMax``; later ones are added to them.
    package var limit: Int

    package init(channel: ChannelID, limit: Int = Limits.pageSizeDefault) {
        self.channel = channel
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}
