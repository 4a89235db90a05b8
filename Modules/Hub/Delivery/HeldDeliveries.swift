internal import CausewayHubStorage
internal import CausewayModels

/// Deliveries that arrived before their predecessors, waiting for them: several deliveries of a lane may be under way
/// on connections of their own, and the network puts them in any order.
///
/// A value without a clock. Bounded by its callers: each held delivery is a request in progress, which
/// `HubLimits.requestsPerAccountMax` and the bytes of its body count.
struct HeldDeliveries<Delivery> {
    private struct Held {
        let id: Int
        /// The sequence that the lane's mark must reach first.
        let previous: Int64
        let last: Int64
        let delivery: Delivery
    }

    private var lanes: [LaneKey: [Held]] = [:]
    private var lastID = 0

    /// True if nothing waits.
    var isEmpty: Bool { lanes.isEmpty }

    /// Holds a delivery.
    ///
    /// - Parameters:
    ///   - previous: the sequence before its first operation.
    ///   - last: the sequence of its last operation.
    /// - Returns: the number under which it can be withdrawn.
    mutating func hold(_ delivery: Delivery, of lane: LaneKey, after previous: Int64, last: Int64) -> Int {
        lastID += 1
        lanes[lane, default: []].append(Held(id: lastID, previous: previous, last: last, delivery: delivery))
        return lastID
    }

    /// Removes the deliveries that can be decided now that the lane has reached a mark, in lane order: those that
    /// continue at the mark, one after the other, and those that the mark has passed.
    mutating func release(_ lane: LaneKey, at mark: Int64) -> [Delivery] {
        guard let held = lanes[lane]?.sorted(by: { $0.previous < $1.previous }) else { return [] }
        var reached = mark
        var released: [Delivery] = []
        var kept: [Held] = []
        for held in held {
            if held.previous <= reached {
                reached = max(reached, held.last)
                released.append(held.delivery)
            } else {
                kept.append(held)
            }
        }
        lanes[lane] = kept.isEmpty ? nil : kept
        return released
    }

    /// Removes one delivery; `nil` if it was released already.
    mutating func withdraw(_ id: Int, of lane: LaneKey) -> Delivery? {
        guard var held = lanes[lane], let index = held.firstIndex(where: { $0.id == id }) else { return nil }
        let delivery = held.remove(at: index).delivery
        lanes[lane] = held.isEmpty ? nil : held
        return delivery
    }
}
