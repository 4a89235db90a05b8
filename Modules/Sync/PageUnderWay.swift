import CausewayModels
import CausewayTransport

/// A page that was requested, and the changes since then.
struct PageUnderWay {
    /// True for a call that waits for events: those after a deletion bring the deletion, too.
    var isOfEvents = false
    /// Messages that were found to be deleted.
    var gone: Set<MessageID> = []
    /// Messages that the server accepted from here, and those that came with other pages or events.
    var arrived: Set<MessageID> = []
    /// The parts of channels that other pages covered; none for events.
    var covered: [CoveredPart] = []

    /// True if another page covered the message's position and did not list it. Positions are assigned in order, and
    /// each once, so the message was deleted before, whichever page was requested first.
    func isPassedOver(_ message: RemoteMessage) -> Bool {
        !gone.contains(message.id) && !arrived.contains(message.id) && covered.contains { $0.passesOver(message) }
    }
}

/// A part of a channel that a page covered: the server had no other messages there that satisfy the filter.
struct CoveredPart {
    private let channel: ChannelID
    private let filter: MessageFilter
    private let range: Range<Int64>
    private let listed: Set<MessageID>
    private let unreadable: Set<Int64>

    /// - Returns: `nil` if the page removes nothing.
    init?(_ page: RemotePage, of query: RemoteQuery, listed: Set<MessageID>) {
        guard let range = page.range, !range.isEmpty, !query.filter.choosesByTags else { return nil }
        channel = query.channel
        filter = query.filter
        self.range = range
        self.listed = listed
        unreadable = page.unreadable
    }

    fileprivate func passesOver(_ message: RemoteMessage) -> Bool {
        let position = message.serverPosition.position
        return message.channel == channel && range.contains(position) && !listed.contains(message.id)
            && !unreadable.contains(position) && filter.admits(type: message.content.type, parent: message.parent)
    }
}
