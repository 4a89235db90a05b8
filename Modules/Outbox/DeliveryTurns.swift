import CausewayModels
import DequeModule

/// The room for batches under way, and the lanes that wait for it.
///
/// Lanes that find no room take turns, in the order of arrival, one batch each. After a crash a batch can be under way
/// by itself: nothing else is under way with it.
struct DeliveryTurns: Sendable, Hashable {
    /// Batches under way in all lanes.
    private(set) var underWayCount = 0
    /// True while the batch under way excludes all others: see ``BatchCaution/afterCrashMax``.
    private(set) var isByItself = false
    /// Lanes with something to send that found no room, in the order of arrival; each at most once. Empty whenever
    /// there is room for the first.
    private(set) var waiting: Deque<Int> = []
    private var isWaiting: Set<Int> = []

    /// True if there is room for a batch.
    ///
    /// - Parameter goesByItself: whether that batch must be under way by itself; evaluated only if it matters.
    func hasRoom(underWayMax: Int, goesByItself: @autoclosure () -> Bool) -> Bool {
        if underWayCount == 0 { return true }
        return underWayCount < underWayMax && !isByItself && !goesByItself()
    }

    /// A batch is under way from now on.
    mutating func begin(byItself: Bool) {
        underWayCount += 1
        isByItself = byItself
    }

    /// Batches have ended.
    mutating func end(_ count: Int) {
        underWayCount -= count
        if underWayCount == 0 { isByItself = false }
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
