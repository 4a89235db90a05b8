import CausewayModels
import CausewayStorage

/// A copy of the store was detected: every link gets a new number, in the old order.
extension ReferenceModel {
    mutating func fork(_ id: OutboxID, _ time: Timestamp) {
        outboxID = id
        var links = (try? snapshot().entries) ?? []
        for index in links.indices where links[index].kind == .retract { links[index].kind = .delete }
        let asked = Set(links.filter { $0.kind == .fence }.map(\.message))
        let failed = items.values.filter { message in
            message.syncState == .error && message.lane != nil && !asked.contains(message.id)
        }
        for message in failed.sorted(by: { $0.ordinal < $1.ordinal }) {
            guard let lane = message.lane else { continue }
            links.append(
                OutboxEntry(
                    kind: .fence, lane: lane, sequence: 0, previous: nil, message: message.id, attempts: 0, bytes: 0))
        }
        for message in items.values where message.syncState == .error && message.lane != nil {
            items[message.id]?.isInDoubt = true
            forgetUpload(message.id)
        }
        controls = []
        lastTransmitted = [:]
        for message in items.values where isQueued(message.id) {
            if message.syncState != .created { become(.created, message.id, time) }
            guard !isParked(message.id) else { continue }
            items[message.id]?.previousSequence = nil
            forgetUpload(message.id)
        }
        forked = links
    }

    /// The server's data were reset: messages that this user delivered from here above the marks are queued again.
    mutating func follow(_ new: ServerHistory, _ marks: [LaneID: Int64], _ time: Timestamp) {
        history = new
        eventCursor = nil
        var lost: [LaneID: [MessageID: Int64]] = [:]
        for message in items.values where !message.isOperation {
            bodies[message.id]?.changedAt = nil
            bodies[message.id]?.clock = VersionClock()
            guard message.syncState == .synced, let lane = message.lane,
                session == nil || session?.user == message.sender,
                message.laneSequence == 0 || message.laneSequence > marks[lane] ?? 0
            else { continue }
            become(.created, message.id, time)
            items[message.id]?.serverPosition = nil
            items[message.id]?.attempts = 0
            items[message.id]?.previousSequence = nil
            items[message.id]?.queuedAt = time
            items[message.id]?.upload = bodies[message.id]?.content.attachment.map { AttachmentUpload(total: $0.size) }
            lost[lane, default: [:]][message.id] =
                message.laneSequence == 0 ? message.ordinal : message.laneSequence
        }
        for (lane, ids) in lost { requeue(ids, in: lane) }
    }

    /// - Parameter lost: what was lost in the lane, and the places that it had.
    private mutating func requeue(_ lost: [MessageID: Int64], in lane: LaneID) {
        let waiting = items.values.filter { message in
            isQueued(message.id) && !isParked(message.id) && message.lane == lane
                && lost[message.id] == nil
        }
        var queue = waiting.sorted { $0.laneSequence < $1.laneSequence }
        let places = (queue.map(\.laneSequence) + lost.values).sorted()
        for message in lost.keys.compactMap({ items[$0] }).sorted(by: { $0.ordinal < $1.ordinal }) {
            let index = queue.firstIndex { $0.ordinal > message.ordinal } ?? queue.endIndex
            queue.insert(message, at: index)
        }
        for (message, place) in zip(queue, places) { items[message.id]?.laneSequence = place }
    }

    /// Adopts the numbers that the links were assigned.
    mutating func adopt(_ links: [OutboxEntry], from store: any Store) async throws {
        let found = try await store.outbox()
        try requireEqual(
            found.entries.map { "\($0.kind) \($0.message)" }, links.map { "\($0.kind) \($0.message)" },
            "the links under the new outbox id")
        for (link, renewed) in zip(links, found.entries) {
            try take(renewed.sequence, "a link's number")
            if link.kind == .send {
                items[link.message]?.laneSequence = renewed.sequence
            } else {
                controls.append(
                    ChainMarker(
                        kind: link.kind, lane: link.lane, sequence: renewed.sequence, previous: nil,
                        message: link.message))
            }
        }
        try require(found.lineage.sharedBelow > highest, "a number that the other copy has too is not below the limit")
        sharedBelow = found.lineage.sharedBelow
    }

    func checkLineage(_ lineage: Lineage) throws {
        try requireEqual(lineage.opening, openings.first, "the opening")
        try requireEqual(
            lineage.ancestors, Array(openings.dropFirst().prefix(Limits.openingsKeptMax)), "earlier openings")
    }
}
