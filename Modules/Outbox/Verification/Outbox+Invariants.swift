package import CausewayModels
import DequeModule

/// Invariants between any two events. Tests check them after every step.
extension Outbox {
    /// A description of the first broken invariant; `nil` if all hold. Cost: linear in the outbox.
    ///
    /// The numbers are those of the list in the documentation of ``Outbox``.
    package func brokenInvariant() -> String? {
        brokenChain() ?? brokenIndex() ?? brokenOrder() ?? pauses.brokenInvariant(isSent: slotIndex.sends)
            ?? brokenTurn() ?? brokenOutlook() ?? brokenUploads() ?? brokenAging()
    }

    /// 1 and 2.
    private func brokenChain() -> String? {
        for lane in lanes {
            if let broken = lane.brokenInvariant() { return "lane \(lane.id): \(broken)" }
        }
        return nil
    }

    /// 3.
    private func brokenIndex() -> String? {
        for lane in lanes {
            for slot in lane.slots where slot.isMessage {
                guard slotIndex.sends[slot.message]?.sequence == slot.sequence else {
                    return "message \(slot.message) is not indexed where it stands"
                }
            }
        }
        for message in slotIndex.sends.keys {
            guard let slot = sendSlot(of: message), case let found = lanes[slot.lane].slots[slot.index],
                found.isMessage, found.message == message
            else { return "the index of message \(message) leads nowhere" }
            if awaitingVerdict.contains(message) { return "message \(message) is sent again, and awaits a verdict" }
        }
        return nil
    }

    /// 4.
    private func brokenOrder() -> String? {
        for lane in lanes.indices {
            // The upload of a later message may fail, and pause the lane, while an earlier one is in flight.
            if failedMessage(pausing: lane) != nil { continue }
            let limit = messagesBelow(in: lane)
            let early = lanes[lane].slots.prefix(lanes[lane].inFlightCount).first {
                $0.isMessage && $0.sequence >= limit
            }
            if let early { return "message \(early.message) left before what it waits for" }
        }
        return nil
    }

    /// 6.
    private func brokenTurn() -> String? {
        let count = lanes.reduce(0) { $0 + $1.inFlightBatches.count }
        if turns.underWayCount != count { return "the deliveries under way are miscounted" }
        if count > configuration.deliveriesInFlightTotalMax { return "too many deliveries are under way" }
        if !turns.isConsistent { return "a lane waits for its turn twice" }
        if let first = turns.waiting.first, count < configuration.deliveriesInFlightTotalMax {
            let goesByItself = turns.isByItself || lanes[first].caution.afterCrashMax != nil
            let isIdle = count == 0 && turns.unended.isEmpty
            if isIdle || !goesByItself { return "there is room, and a lane waits for it" }
        }
        if turns.isByItself, max(count, turns.unended.count) != 1 {
            return "what goes by itself is not the only one under way"
        }
        return nil
    }

    /// 7.
    private func brokenOutlook() -> String? {
        if lanes.indices.contains(where: { lanes[$0].hold?.isOfQuestions == true && !questionHolds.contains($0) }) {
            return "nothing but time ends a pause of questions"
        }
        guard hasSession, actionRequired?.cause != .superseded, !connection.isProbing, connection.nextProbe == nil
        else { return nil }
        if connection.requested != nil { return "a probe was requested, and none follows" }
        if actionRequired != nil { return "something needs attention, and nothing looks at it again" }
        switch connection.state {
        case .unknown, .offline: return "the server is out of reach, and nothing looks for it"
        case .settling, .online: return nil
        }
    }

    /// 8.
    private func brokenUploads() -> String? {
        if let violation = uploads.violations.first { return violation }
        for lane in lanes {
            for (index, slot) in lane.slots.enumerated() where slot.isMessage {
                let isPending = uploads.entry(of: slot.message)?.sequence == slot.sequence
                if isPending, index < lane.inFlightCount { return "\(slot.message) left before its attachment" }
                if isPending != (slot.upload?.isPending ?? false) { return "the upload of \(slot.message) is lost" }
            }
        }
        if uploads.count != lanes.reduce(0, { $0 + $1.slots.count { $0.isMessage && $0.upload?.isPending == true } }) {
            return "an attachment is uploaded for no message"
        }
        return nil
    }

    /// 9.
    private func brokenAging() -> String? {
        for lane in lanes where configuration.expiry != nil {
            let aging = Set(lane.aging)
            if let ageless = lane.slots.first(where: { $0.isMessage && !aging.contains($0.sequence) }) {
                return "message \(ageless.message) does not age"
            }
            if let first = lane.aging.first, lane.index(of: first) == nil {
                return "what is oldest in lane \(lane.id) is not there"
            }
        }
        return nil
    }
}

// MARK: - The chain as the store should hold it

extension Outbox {
    /// All requests that the server has not confirmed, by ascending sequence: equal to a snapshot of the store whenever
    /// every commit of the store's feed has been processed. Cost: linear in the outbox, and a sort.
    package var entries: [OutboxEntry] {
        lanes.flatMap { lane in
            lane.slots.compactMap { slot in
                guard let kind = slot.kind else { return nil }
                return OutboxEntry(
                    kind: kind, lane: lane.id, sequence: slot.sequence,
                    ordinal: slot.isMessage ? slot.ordinal : slot.sequence, previous: slot.previous,
                    message: slot.message, attempts: slot.isMessage ? slot.attempts : 0,
                    bytes: slot.isMessage ? slot.bytes : 0,
                    queuedAt: slot.isMessage ? slot.queuedAt : Timestamp(milliseconds: 0),
                    isOperation: slot.isMessage && slot.isOperation,
                    upload: slot.isMessage ? upload(of: slot) : nil)
            }
        }.sorted { $0.sequence < $1.sequence }
    }

    /// True if ``entries`` are these, apart from their times. Copies nothing, and is false where two of them have one
    /// sequence.
    ///
    /// - Parameter links: by ascending sequence.
    package func holds(_ links: [OutboxEntry]) -> Bool {
        var count = 0
        for lane in lanes {
            for slot in lane.slots {
                guard let kind = slot.kind else { continue }
                count += 1
                guard let index = links.index(of: slot.sequence) else { return false }
                let isEqual =
                    links[index].kind == kind && links[index].lane == lane.id && links[index].message == slot.message
                    && links[index].previous == slot.previous && holds(links[index], slot)
                guard isEqual else { return false }
            }
        }
        return count == links.count
    }

    /// Compares the properties that only a message has.
    private func holds(_ entry: OutboxEntry, _ slot: OutboxLane.Slot) -> Bool {
        guard slot.isMessage else {
            return entry.ordinal == entry.sequence && entry.attempts == 0 && entry.bytes == 0 && !entry.isOperation
                && entry.upload == nil
        }
        return entry.ordinal == slot.ordinal && entry.attempts == slot.attempts && entry.bytes == slot.bytes
            && entry.isOperation == slot.isOperation && entry.upload == upload(of: slot)
    }
}

extension [OutboxEntry] {
    /// The index of the entry with this sequence, in an ascending list.
    fileprivate func index(of sequence: Int64) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].sequence == sequence ? low : nil
    }
}

extension OutboxLane {
    fileprivate func brokenInvariant() -> String? {
        if inFlightCount > slots.count { return "more in flight than there is" }
        if inFlightBatches.reduce(0, { $0 + $1.batch.operations.count }) != inFlightCount {
            return "the flights do not cover what is in flight"
        }
        var last: Int64 = 0
        var chain: Int64?
        var sawUnsent = false
        for (index, slot) in slots.enumerated() {
            if slot.sequence <= last { return "sequences do not ascend at \(slot.sequence)" }
            last = slot.sequence
            if index < inFlightCount, !slot.wasTransmitted {
                return "\(slot.sequence) cannot be in flight"
            }
            if slot.isRemoved { continue }
            if let previous = slot.previous {
                if sawUnsent { return "\(slot.sequence) was transmitted after one that was not" }
                // Confirmations by a page while the process ended are in no snapshot: a link may be missing there, and
                // the server, which has it, reports that.
                if let chain, previous != chain, previous < chain || chain > knownUntil {
                    return "the chain breaks at \(slot.sequence)"
                }
                if slot.sequence > lastTransmitted { return "\(slot.sequence) is beyond the last transmitted" }
                chain = slot.sequence
            } else {
                sawUnsent = true
            }
        }
        return nil
    }
}
