import CausewayModels

extension MemoryState {
    /// See ``Mutation/followHistory(_:_:marks:at:)``.
    mutating func followHistory(
        _ history: ServerHistory, _ id: OutboxID, marks: [LaneID: Int64], at time: Timestamp
    ) {
        self.history = history
        for old in allSynced() {
            var message = old.message.inOtherHistory()
            if session.map({ $0.user == message.sender }) ?? true, message.isBehind(marks) {
                message = message.lost(at: time)
            }
            if message != old.message { put(message, bytes: old.bytes) }
        }
        forkOutbox(id, at: time)
    }
}
