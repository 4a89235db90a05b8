import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage

/// Copies of stores: what they send excuses their messages only as long as they exist.
extension World {
    /// Notes that the store of a device is copied now.
    func noteCopy(of device: Int) {
        devices[device].wasCopied = true
        devices[device].createdBeforeCopy = expected.created.count
        expected.lastOrdinalOfDevice = expected.lastOrdinalOfDevice.filter { $0.key.device != device }
    }

    /// True for a message that a copy of its store has, too.
    func isShared(_ record: ExpectedState.Record) -> Bool {
        record.number <= devices[record.device].createdBeforeCopy
    }

    /// Notes that the hub stores a message from a copy of its store. It does so once in each of its histories; only the
    /// last time counts.
    func noteStoredByCopy(_ id: MessageID, under outbox: OutboxID) {
        expected.records[id]?.isSentByCopy = true
        expected.records[id]?.storedByCopyAt = runtime.now
        expected.records[id]?.storedByCopyUnder = outbox
    }

    /// Notes that the hub says for the first time that it does not have a message. The client hears it later.
    func noteAbsence(of id: MessageID) {
        if expected.records[id]?.absentAt == nil { expected.records[id]?.absentAt = runtime.now }
    }

    /// Ends the excuses of messages that copies have sent, once no copy exists any more: from then on every verdict
    /// must be true. A store that failed a message for good before its copy delivered it cannot know that, nor can one
    /// whose question the hub answered before, nor one that deleted it before as unsent, nor one in which it waits for
    /// its parent: it fails with that one, and nothing is asked. A copy that has changed over to another outbox id is
    /// another device: the hub tells nothing of it to this one, which may delete what it has never sent.
    func endExcuses() {
        guard processes.allSatisfy({ $0.life != .isCopied }) else { return }
        for id in expected.created {
            guard let record = expected.records[id], record.isSentByCopy,
                let (process, _) = running(record.device), isHome(record, process)
            else { continue }
            expected.records[id]?.isSentByCopy = false
            let item = processes[process].mirror.items[record.item.id]
            let isExcused =
                if let ended = Self.endOfSending(record, item), let stored = record.storedByCopyAt {
                    ended <= stored || item == nil && !wasStored(record, underIDOf: process)
                } else {
                    false
                }
            if isExcused { expected.records[id]?.isBeyondRepair = true }
            tally.excusesKept += isExcused ? 1 : 0
            tally.excusesEnded += isExcused ? 0 : 1
        }
    }

    private func wasStored(_ record: ExpectedState.Record, underIDOf process: Int) -> Bool {
        record.storedByCopyUnder == processes[process].disk.outboxID
    }

    /// When the store has ended a message, so that nothing more is sent for it; `nil` while something is.
    ///
    /// - Parameter item: the message in the store; `nil` if it was deleted there.
    private static func endOfSending(_ record: ExpectedState.Record, _ item: StoredItem?) -> MonotonicTime? {
        guard let item else { return record.deletedAt ?? .zero }
        guard item.isParked || item.isFailedForGood else { return nil }
        return min(record.failedForGoodAt ?? .zero, record.absentAt ?? .init(nanoseconds: .max))
    }
}

extension StoredItem {
    /// True when it failed, and the hub is known to lack it.
    var isFailedForGood: Bool { syncState == .error && !isInDoubt }
}
