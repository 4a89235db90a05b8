import CausewayModels
import CausewaySimulatedHub

extension SmallWorld {
    /// The explored worlds: three messages in two lanes, with different configurations.
    ///
    /// - Parameter faults: the number of faults on one path; each additional one makes a world about thirty times as
    ///   large.
    package static func standard(faults: Int) -> [(name: String, size: Size)] {
        [
            ("one at a time", Size(faults: faults, acts: 1, deliveriesInFlightMax: 1, batchOperationsMax: 1)),
            (
                "in batches",
                Size(
                    faults: faults, acts: 1, deliveriesInFlightMax: 1, batchOperationsMax: Limits.batchOperationsMax)
            ),
            ("two at a time", Size(faults: faults, acts: 0, deliveriesInFlightMax: 2, batchOperationsMax: 1)),
            ("with sessions", sessions(faults)), ("with a reply that is parked", parking(faults)),
            ("with lanes that pause", pausing(faults)), ("with attention", actionRequired(faults)),
            ("with messages that expire", expiring(faults)),
        ]
    }

    private static func sessions(_ faults: Int) -> Size {
        var size = Size(
            lanes: [.text, .text], faults: faults + 1, acts: 0, deliveriesInFlightMax: 1,
            batchOperationsMax: Limits.batchOperationsMax)
        size.hasSessions = true
        return size
    }

    private static func actionRequired(_ faults: Int) -> Size {
        var size = Size(
            lanes: [.text, .text], faults: faults + 1, acts: 0, deliveriesInFlightMax: 1, batchOperationsMax: 1)
        size.hasAttention = true
        return size
    }

    private static func expiring(_ faults: Int) -> Size {
        var size = Size(
            lanes: [.text, .text], faults: faults + 1, acts: 0, deliveriesInFlightMax: 1, batchOperationsMax: 1)
        size.expiry = .seconds(2)
        return size
    }

    private static func parking(_ faults: Int) -> Size {
        var size = Size(
            lanes: [.text, .media], faults: faults, acts: 1, deliveriesInFlightMax: 1, batchOperationsMax: 1)
        size.parents = [2: 1]
        return size
    }

    private static func pausing(_ faults: Int) -> Size {
        var size = Size(
            lanes: [.text, .text], faults: faults + 1, acts: 1, deliveriesInFlightMax: 2, batchOperationsMax: 1)
        size.headFailure = .pauseLane
        return size
    }
}
