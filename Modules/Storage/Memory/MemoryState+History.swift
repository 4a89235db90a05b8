import CausewayModels

extension MemoryState {
    /// See ``Mutation/followHistory(_:_:marks:at:)``.
    mutating func followHistory(
        _ history: ServerHistory, _ id: OutboxID, marks: [LaneID: Int64], at time: Timestamp
    ) {
        self.history = history
        var lost: [LaneID: [Stored]] = [:]
        for old in allSynced() {
            let message = old.message.inOtherHistory()
            if let lane = message.lane, session.map({ $0.user == message.sender }) ?? true, message.isBehind(marks) {
                lost[lane, default: []].append(Stored(message: message, bytes: old.bytes))
            } else if message != old.message {
                put(message, bytes: old.bytes)
            }
        }
        let waiting = allUndelivered().filter { $0.message.isPending && !$0.message.isParked }
        for (lane, inLane) in lost {
            queueAgain(inLane, before: waiting.filter { $0.message.lane == lane }, at: time)
        }
        forkOutbox(id, at: time)
    }

    /// Puts what was lost into its lane.
    private mutating func queueAgain(_ lost: [Stored], before waiting: [Stored], at time: Timestamp) {
        typealias Entry = LaneSequences.Entry
        let entries = LaneSequences.reassigned(
            lost: lost.map { Entry(ordinal: $0.message.ordinal, sequence: $0.message.place) },
            waiting: waiting.map { Entry(ordinal: $0.message.ordinal, sequence: $0.message.laneSequence) })
        let sequences = Dictionary(uniqueKeysWithValues: entries.map { ($0.ordinal, $0.sequence) })
        // No two of them are at one place at a time.
        for old in waiting { remove(old.message.id) }
        for old in lost + waiting {
            guard let sequence = sequences[old.message.ordinal] else { continue }
            var message = old.message.lost(sequence: sequence, at: time)
            message.laneSequence = sequence
            put(message, bytes: old.bytes)
        }
    }
}
