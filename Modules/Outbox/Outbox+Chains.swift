package import CausewayModels
import CausewayStorage
import DequeModule

/// The chains of all lanes: adding links to them, and finding the slots of a message.
extension Outbox {
    /// The current place of a slot; valid until its lane changes.
    struct SlotPosition {
        var lane: Int
        var index: Int
    }

    /// The slot that sends the message; `nil` if it is not to be sent. O(log n).
    func sendSlot(of message: MessageID) -> SlotPosition? { slotIndex.sends[message].flatMap(position) }

    /// The last fence or retraction for the message; `nil` if there is none. O(log n).
    func fenceSlot(of message: MessageID) -> SlotPosition? { slotIndex.fences[message].flatMap(position) }

    /// The messages whose deletion from the server is queued. O(n) for a queue of n links.
    package var queuedDeletions: Set<MessageID> {
        Set(lanes.lazy.flatMap { $0.slots.lazy.filter { $0.kind == .delete } }.map(\.message))
    }

    private func position(_ location: SlotLocation) -> SlotPosition? {
        lanes[location.lane].index(of: location.sequence).map { SlotPosition(lane: location.lane, index: $0) }
    }

    /// The index of a lane, which is added if it is new.
    mutating func laneIndex(_ id: LaneID) -> Int {
        if let index = laneIndices[id] { return index }
        lanes.append(OutboxLane(id: id, lastTransmitted: 0))
        laneIndices[id] = lanes.count - 1
        return lanes.count - 1
    }

    /// Adds a link at the tail of its lane.
    mutating func append(_ entry: OutboxEntry) {
        let lane = laneIndex(entry.lane)
        let location = SlotLocation(lane: lane, sequence: entry.sequence)
        switch entry.kind {
        case .send:
            if confirmedBeforeKnown.contains(entry.message) { return }
            removeRenumbered(entry.message)
            slotIndex.insertSend(entry.message, at: location)
            pauses.remove(entry.message)
            if configuration.expiry != nil { lanes[lane].aging.append(entry.sequence) }
            awaitingVerdict.remove(entry.message)  // sent again: its waiters follow the new attempt
            insertUpload(of: entry)
        case .fence, .retract: slotIndex.insertFence(for: entry.message, at: location)
        case .delete: break
        }
        lanes[lane].slots.append(OutboxLane.Slot(entry))
    }

    /// Removes the slot of a message that was renumbered before it was transmitted from that slot.
    private mutating func removeRenumbered(_ message: MessageID) {
        guard let slot = sendSlot(of: message), !lanes[slot.lane].slots[slot.index].wasTransmitted else { return }
        lanes[slot.lane].removeUnsent(at: slot.index)
    }

    /// False for an entry that a snapshot contained already: the feed may report it again.
    private mutating func isNew(_ entry: OutboxEntry) -> Bool {
        let lane = laneIndex(entry.lane)
        return entry.sequence > max(lanes[lane].knownUntil, lanes[lane].slots.last?.sequence ?? 0)
    }

    mutating func enqueue(_ entries: [OutboxEntry], _ step: inout OutboxStep) {
        var touched: [Int] = []
        for var entry in entries {
            guard isNew(entry) else { continue }
            entry.queuedAt = aging.undisturbedWall(step.clock)
            let lane = laneIndex(entry.lane)
            append(entry)
            if touched.last != lane { touched.append(lane) }
        }
        hurryProbe(&step)
        for lane in touched { dispatch(lane, &step) }
    }

    /// The content of a message was replaced by the last commit.
    mutating func rewritten(_ message: MessageID, _ bytes: Int) {
        guard let slot = sendSlot(of: message) else { return }
        lanes[slot.lane].slots[slot.index].bytes = bytes
    }
}
