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
        for inLane in lost.values {
            let places = inLane.map(\.message.place).sorted()
            for (old, place) in zip(inLane.sorted { $0.message.ordinal < $1.message.ordinal }, places) {
                put(old.message.lost(sequence: place, at: time), bytes: old.bytes)
            }
        }
        forkOutbox(id, at: time)
    }
}
