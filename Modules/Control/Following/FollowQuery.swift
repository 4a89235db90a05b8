package import Causeway

/// Which messages are followed: the newest of a channel.
package struct FollowQuery: Sendable, Hashable {
    package var channel: ChannelID
    /// How many at the start, 1 to ``Limits/pageSizeMax``; those that come later are added to them.
    package var limit: Int

    package init(channel: ChannelID, limit: Int = Limits.pageSizeDefault) {
        self.channel = channel
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}
