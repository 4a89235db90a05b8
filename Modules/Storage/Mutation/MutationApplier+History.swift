import CausewayModels

/// Data that the server has lost.
extension MutationApplier {
    mutating func keepHistory(_ history: ServerHistory) throws(Rows.Failure) {
        var outbox = rows.outbox
        outbox.history = history
        try rows.setOutbox(outbox)
    }

    mutating func setEventCursor(_ cursor: EventCursor?) throws(Rows.Failure) {
        var outbox = rows.outbox
        outbox.eventCursor = cursor
        try rows.setOutbox(outbox)
    }

    /// See ``Mutation/followHistory(_:_:marks:at:)``. Cost: linear in the messages that are stored.
    mutating func followHistory(
        _ history: ServerHistory, _ id: OutboxID, marks: [LaneID: Int64], at time: Timestamp
    ) throws(Rows.Failure) {
        try keepHistory(history)
        try setEventCursor(nil)
        try rows.resetRecordVersions()
        let lost = try lostMessages(marks)
        try forkOutbox(id, lost.isEmpty ? try rows.entries() : try links(with: lost), at: time)
    }

    /// An item of a lane, with the numbers by which it gets its place among the others.
    private struct Place {
        var id: OperationID
        var lane: LaneID
        var entry: LaneSequences.Entry
    }

    /// The messages that this account delivered and that the server no longer has, or may not have. Every message
    /// counts as changed in no history yet.
    private mutating func lostMessages(_ marks: [LaneID: Int64]) throws(Rows.Failure) -> [Place] {
        for part in [ItemPart.pending, .failed] {
            try forEach(part) { applier, old throws(Rows.Failure) in
                if let message = old.message { try applier.write(.message(message.inOtherHistory()), over: old) }
            }
        }
        let user = try rows.session()?.user
        var lost: [Place] = []
        try forEach(.synced) { applier, old throws(Rows.Failure) in
            guard let message = old.message?.inOtherHistory() else { return }
            try applier.write(.message(message), over: old)
            guard let lane = message.lane, user.map({ $0 == message.sender }) ?? true,
                message.isBehind(marks)
            else {
                return
            }
            let entry = LaneSequences.Entry(ordinal: message.ordinal, sequence: message.place)
            lost.append(Place(id: message.id, lane: lane, entry: entry))
        }
        return lost
    }

    /// The links of all lanes, with those of the lost messages among them.
    private mutating func links(with lost: [Place]) throws(Rows.Failure) -> [OutboxEntry] {
        var waiting: [Place] = []
        try forEach(.pending) { _, row throws(Rows.Failure) in
            guard !row.item.isParked, let lane = row.item.lane else { return }
            let entry = LaneSequences.Entry(ordinal: row.item.ordinal, sequence: row.item.laneSequence)
            waiting.append(Place(id: row.item.id, lane: lane, entry: entry))
        }
        let lostInLane = Dictionary(grouping: lost, by: \.lane)
        let waitingInLane = Dictionary(grouping: waiting, by: \.lane)
        var links = try rows.entries().filter { $0.kind != .send }
        for lane in Set(lostInLane.keys).union(waitingInLane.keys) {
            let places = (lostInLane[lane] ?? []) + (waitingInLane[lane] ?? [])
            let ids = Dictionary(places.map { ($0.entry.ordinal, $0.id) }, uniquingKeysWith: { first, _ in first })
            let entries = LaneSequences.reassigned(
                lost: lostInLane[lane, default: []].map(\.entry), waiting: waitingInLane[lane, default: []].map(\.entry)
            )
            links += entries.compactMap { entry in
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
