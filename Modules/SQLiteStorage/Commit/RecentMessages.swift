import CausewayModels

/// The messages that were written last, so that the steps of one delivery need not read what they have just written.
///
/// Only the writer changes rows, so what it remembers is what the table holds, as long as it forgets everything when
/// something is taken back or changes many rows at once. Two generations: when the young one is full, it becomes the
/// old one, and the old one goes.
struct RecentMessages: Sendable {
    private var young: [MessageID: MessageRow] = [:]
    private var old: [MessageID: MessageRow] = [:]
    private var youngBytes = 0

    subscript(id: MessageID) -> MessageRow? { young[id] ?? old[id] }

    mutating func remember(_ row: MessageRow) {
        young[row.message.id] = row
        youngBytes += row.bytes
        guard young.count >= SQLiteLimits.recentMessagesMax || youngBytes >= SQLiteLimits.recentBytesMax else { return }
        old = young
        young = [:]
        youngBytes = 0
    }

    mutating func forget(_ id: MessageID) {
        young[id] = nil
        old[id] = nil
    }

    mutating func forgetAll() { self = RecentMessages() }
}
