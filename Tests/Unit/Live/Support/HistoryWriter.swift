import CausewayModels
import CausewayStorage
import Synchronization

/// Writes to the store, also during the reads of others.
final class HistoryWriter: Sendable {
    private let base: any Store
    private let timeline: StoreTimeline
    private let dice: Mutex<WriterDice>
    /// The number of writes during reads, from 0 to 3.
    private let intensity: Int
    private let budget = Mutex(Budget())

    /// The remaining writes during reads, limited so that reads end: a window whose edge moves each time that it is
    /// read is displayed after a while in its last known state.
    private struct Budget {
        var writes = 0

        mutating func spend() -> Bool {
            writes -= 1
            return writes >= 0
        }
    }

    func refill() { budget.withLock { $0.writes = 12 } }

    init(_ base: any Store, _ timeline: StoreTimeline, _ dice: WriterDice, intensity: Int) {
        self.base = base
        self.timeline = timeline
        self.dice = Mutex(dice)
        self.intensity = intensity
    }

    func write() async throws(StoreError) {
        guard let write = dice.withLock({ $0.write() }) else { return }
        do throws(StoreError) {
            switch write {
            case .enqueue(let draft): _ = try await base.enqueue(draft)
            case .commit(let mutations): try await base.commit(mutations)
            }
        } catch .duplicate {
            return
        }
        try await timeline.complete(base, dice.withLock { $0.ids })
    }

    /// Performs a few writes, or none.
    ///
    /// - Returns: true if subscribers are to be notified already.
    func strike() async throws(StoreError) -> Bool {
        let count = dice.withLock { $0.below(2 + intensity) }
        for _ in 1..<max(1, count) where budget.withLock({ $0.spend() }) { try await write() }
        return dice.withLock { $0.isOne(in: 2) }
    }
}
