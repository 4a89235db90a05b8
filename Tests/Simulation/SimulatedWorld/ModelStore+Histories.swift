import CausewayModels
import CausewayStorage

/// Data that the hub has lost.
extension ModelStore {
    /// Queues the messages that the hub has lost again, each before those of its lane that were created later, and
    /// continues under another outbox id.
    mutating func followHistory(_ id: OutboxID, marks: [LaneID: Int64], at time: Timestamp) {
        let lost = inOrder.compactMap(\.message).filter { message in
            message.syncState == .synced && message.lane != nil && message.isBehind(marks)
        }
        for message in inOrder.compactMap(\.message) {
            put(.message(message.inOtherHistory()), as: message.id)
        }
        forkOutbox(id, links(with: lost), at: time)
    }

    private func linkAtTheTail(_ message: Message) -> OutboxEntry? {
        message.lane.map { lane in
            OutboxEntry(
                kind: .send, lane: lane, sequence: message.place, previous: nil, message: message.id, attempts: 0,
                bytes: 0)
        }
    }

    private func links(with lost: [Message]) -> [OutboxEntry] {
        if lost.isEmpty { return entries }
        if plantedFault == .lostAtTheTail { return entries + lost.compactMap(linkAtTheTail) }
        var links = entries.filter { $0.kind != .send }
        let waiting = entries.filter { $0.kind == .send }
        for lane in Set(lost.compactMap(\.lane) + waiting.map(\.lane)) {
            let queue = waiting.filter { $0.lane == lane }.compactMap { items[$0.message] }
            let missing = lost.filter { $0.lane == lane }
            let ids = Dictionary(
                queue.map { ($0.ordinal, $0.id) } + missing.map { ($0.ordinal, $0.id) },
                uniquingKeysWith: { first, _ in first })
            links += LaneSequences.reassigned(
                lost: missing.map { LaneSequences.Entry(ordinal: $0.ordinal, sequence: $0.place) },
                waiting: queue.map { LaneSequences.Entry(ordinal: $0.ordinal, sequence: $0.laneSequence) }
            ).compactMap { entry in
                ids[entry.ordinal].map { id in
                    OutboxEntry(
                        kind: .send, lane: lane, sequence: entry.sequence, previous: nil, message: id, attempts: 0,
                        bytes: 0)
                }
            }
        }
        return links.sorted { ($0.sequence, $0.kind.rawValue) < ($1.sequence, $1.kind.rawValue) }
    }
}
