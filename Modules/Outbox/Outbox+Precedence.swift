import CausewayModels
import DequeModule

/// Lanes that wait for each other: ``OutboxConfiguration/precedence``.
///
/// The sequences of all lanes come from one counter, so they order creation across lanes as well. Every link of the
/// earlier lane counts, including a fence without a verdict: only the verdict shows whether its message is on the
/// server.
extension Outbox {
    /// The sequence from which messages of the lane must wait. O(1) amortised.
    func sendLimit(of lane: Int) -> Int64 { laneIsPaused(lane) ? 0 : blocker(of: lane)?.sequence ?? .max }

    /// The oldest link of another lane that this lane waits for; `nil` if there is none.
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
