import CausewayModels
import DequeModule

/// Lanes that wait for each other: ``OutboxConfiguration/precedence``.
///
/// Sequences of all lanes come from one counter, so that they tell what was created first across lanes as well. What
/// counts is every link of the earlier lane, also a question whose verdict is out: only then is it known whether what
/// it asks about is on the server.
extension Outbox {
    /// Messages of the lane from this sequence on may not leave. O(1) amortised.
    func sendLimit(of lane: Int) -> Int64 { laneIsPaused(lane) ? 0 : blocker(of: lane)?.sequence ?? .max }

    /// The oldest link of the lane that this one waits for; `nil` when it waits for none.
    func blocker(of lane: Int) -> OutboxLane.Slot? {
        guard let earlier = configuration.precedence[lanes[lane].id], let index = laneIndices[earlier] else {
            return nil
        }
        return lanes[index].firstSlot
    }

    /// The lanes that wait for this one.
    func followers(of lane: Int) -> [Int] {
        guard !configuration.precedence.isEmpty else { return [] }
        let id = lanes[lane].id
        return configuration.precedence.filter { $0.value == id }.compactMap { laneIndices[$0.key] }.sorted()
    }
}
