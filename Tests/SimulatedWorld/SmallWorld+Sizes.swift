extension SmallWorld {
    /// The worlds that are gone through: three messages in two lanes, and ways of sending that differ.
    ///
    /// - Parameter faults: on one way through; each one more makes a world about thirty times as large.
    package static func standard(faults: Int) -> [(name: String, size: Size)] {
        [
            ("one at a time", Size(faults: faults, acts: 1, deliveriesInFlightMax: 1, batchOperationsMax: 1)),
            ("in batches", Size(faults: faults, acts: 1, deliveriesInFlightMax: 1, batchOperationsMax: 512)),
            ("two at a time", Size(faults: faults, acts: 0, deliveriesInFlightMax: 2, batchOperationsMax: 1)),
        ]
    }
}
