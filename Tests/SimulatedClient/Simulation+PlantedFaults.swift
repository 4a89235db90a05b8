extension Simulation {
    /// The first seed in which a planted fault shows, and how; `nil` when `seedsMax` seeds go by without.
    package static func find(_ sabotage: Sabotage, seedsMax: UInt64) -> Broken? {
        for seed in 1...seedsMax {
            if let violation = run(Plan(seed: seed, sabotage: sabotage)).violation {
                return Broken(seed: seed, violation: violation)
            }
        }
        return nil
    }
}
