import CausewayModels
import DequeModule

/// The room for batches under way, and the lanes that wait for it.
///
/// Lanes that find no room take turns, in the order of arrival, one batch each. After a crash a batch can be under way
/// by itself: nothing else is under way with it, nor any batch that was taken back while the driver still sends it.
struct DeliveryTurns: Sendable, Hashable {
    /// Batches under way in all lanes.
    private(set) var underWayCount = 0
    /// Batches whose end the driver has not reported, including those that were taken back. The driver sends them
    /// nevertheless, so one of them may crash the process.
    private(set) var unended: Set<Int> = []
    /// True while the batch under way excludes all others: see ``BatchCaution/afterCrashMax``.
    private(set) var isByItself = false
    /// Lanes with something to send that found no room, in the order of arrival; each at most once. Empty whenever
    /// there is room for the first.
    private(set) var waiting: Deque<Int> = []
    private var isWaiting: Set<Int> = []

    private var isIdle: Bool { underWayCount == 0 && unended.isEmpty }

    /// True if there is room for a batch.
    ///
    /// - Parameter goesByItself: whether that batch must be under way by itself; evaluated only if it matters.
    func hasRoom(underWayMax: Int, goesByItself: @autoclosure () -> Bool) -> Bool {
        if isIdle { return true }
        return underWayCount < underWayMax && !isByItself && !goesByItself()
    }

    /// A batch is under way from now on.
    mutating func begin(_ batch: Int, byItself: Bool) {
        underWayCount += 1
        unended.insert(batch)
        isByItself = byItself
    }

    /// Batches are resolved, or were taken back.
    mutating func end(_ count: Int) {
        underWayCount -= count
        admitOthers()
    }

    /// The driver has reported the end of a batch.
    mutating func noteEnd(of batch: Int) {
        unended.remove(batch)
        admitOthers()
    }

    /// Once a batch that went by itself has ended, others may be under way.
    private mutating func admitOthers() {
        if isIdle { isByItself = false }
    }

    /// Turns for an outbox that was read again, under the same id: nothing is under way in its lanes, and the driver
    /// still sends what was taken back.
    func startingOver() -> DeliveryTurns {
        var anew = DeliveryTurns()
        anew.unended = unended
        anew.isByItself = isByItself && !unended.isEmpty
        return anew
    }

    /// The same turns with other numbers of batches.
    func renumbered(_ batches: [Int: Int]) -> DeliveryTurns {
        var same = self
        same.unended = Set(unended.map { batches[$0] ?? $0 })
        return same
    }

    /// The lane waits for room, if it does not already. O(1).
    mutating func wait(_ lane: Int) {
        if isWaiting.insert(lane).inserted { waiting.append(lane) }
    }

    /// It is the turn of the first lane that waits.
    mutating func dequeue() {
        if let lane = waiting.popFirst() { isWaiting.remove(lane) }
    }

    /// True if the lanes that wait and their order agree.
    var isConsistent: Bool { waiting.count == isWaiting.count && isWaiting == Set(waiting) }
}
