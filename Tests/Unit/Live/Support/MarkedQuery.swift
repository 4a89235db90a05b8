import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Synchronization

/// A message with a mark that shows how long it is retained.
struct MarkedMessage: LiveRecord {
    final class Mark: Sendable {}

    let message: Message
    let mark: Mark

    init(_ message: Message) {
        self.message = message
        mark = Mark()
    }

    var id: MessageID { message.id }

    static func == (left: MarkedMessage, right: MarkedMessage) -> Bool { left.message == right.message }
}

/// The messages of a channel as an application's own query, with a count of the pages it read.
struct MarkedQuery: LiveQuery {
    final class Pages: Sendable, Hashable {
        private let readCount = Atomic<Int>(0)

        var count: Int { readCount.load(ordering: .relaxed) }
        func note() { readCount.add(1, ordering: .relaxed) }

        static func == (left: Pages, right: Pages) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let messages: MessagesQuery
    let pages: Pages

    init(_ messages: MessagesQuery, pages: Pages = Pages()) {
        self.messages = messages
        self.pages = pages
    }

    var topic: LiveTopic { messages.topic }
    var direction: LiveDirection { messages.direction }
    var anchor: LiveAnchor<MessageQuery.Cursor> { messages.anchor }
    var pageSize: Int { messages.pageSize }

    func change(in change: RecordChange) -> LiveRecordChange<MarkedMessage>? {
        messages.change(in: change).map {
            LiveRecordChange(before: $0.before.map(MarkedMessage.init), after: $0.after.map(MarkedMessage.init))
        }
    }

    func matches(_ record: MarkedMessage) -> Bool { messages.matches(record.message) }
    func key(of record: MarkedMessage) -> MessageQuery.Cursor { messages.key(of: record.message) }

    func page(
        in store: any Store, from bound: LiveBound<MessageQuery.Cursor>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<MarkedMessage> {
        pages.note()
        let page = try await messages.page(in: store, from: bound, direction: direction, limit: limit)
        return LivePage(
            records: page.records.map(MarkedMessage.init), hasMore: page.hasMore,
            following: page.following.map(MarkedMessage.init))
    }
}

/// A weak reference.
///
/// Unchecked: used on the one thread of a simulator, or on the main actor.
final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {
    weak var value: Object?
}
