import CausewayModels
import CausewaySimulatedHub
import CausewayStorage

/// The invariants of a change of the hub's history.
extension OutboxOracle {
    /// Checks the store after it has followed another history: a lost message is queued before every message of its
    /// lane that was created later, queued messages keep their order, and no number is used again.
    func brokenByFollowing(from before: ModelStore, to after: ModelStore) -> String? {
        let used = before.items.values.map { max($0.ordinal, $0.laneSequence) } + before.entries.map(\.sequence)
        let highest = used.max() ?? 0
        if let old = after.entries.first(where: { $0.sequence <= highest }) {
            return "\(old.message.value.low) gets place \(old.sequence) under another outbox id, which was used before"
        }
        let sends = after.entries.filter { $0.kind == .send }
        for (index, entry) in sends.enumerated() {
            for earlier in sends[..<index] where earlier.lane == entry.lane {
                guard let first = before.items[earlier.message], let second = before.items[entry.message] else {
                    continue
                }
                if second.syncState == .synced, first.ordinal > second.ordinal {
                    let (late, early) = (second.id.value.low, first.id.value.low)
                    return "\(late) is queued again behind \(early), which was created later"
                }
                let wereQueued = first.syncState != .synced && second.syncState != .synced
                if wereQueued, first.laneSequence > second.laneSequence {
                    return "\(second.id.value.low) is overtaken by \(first.id.value.low) under another outbox id"
                }
            }
        }
        return nil
    }

    /// Checks that the hub's messages of a lane are in the order of their creation, under whatever outbox ids they came
    /// there. A message that was refused there once, that waited for another one, or that has been at the tail of its
    /// lane since, may be anywhere; one that had failed may follow what the hub stored meanwhile.
    func outOfOrderOverHistories() -> String? {
        var last: [DeviceLane: Int64] = [:]
        for stored in world.hub.history {
            guard let record = world.expected.records[stored.message], !record.isOutOfHand, !record.isMoved,
                record.refusedPlaces.isEmpty, !record.sequences.contains(0)
            else { continue }
            let lane = DeviceLane(client: record.client, account: record.sender, lane: stored.key.lane)
            let before = last[lane] ?? .min
            last[lane] = max(before, record.ordinal)
            if before > record.ordinal, before > record.overtakenBy {
                return "\(stored.message.value.low) stands on the hub behind what was created after it"
            }
        }
        return nil
    }
}

/// A lane of a client, under any outbox id.
private struct DeviceLane: Hashable {
    var client: Int
    var account: UserID
    var lane: LaneID
}
