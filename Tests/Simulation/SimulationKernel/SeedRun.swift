extension Simulation {
    /// Returns the first seed that reveals a planted fault, and its violation; `nil` when `seedsMax` seeds do not.
    package static func find(_ plantedFault: PlantedFault, seedsMax: UInt64) -> Broken? {
        for seed in 1...seedsMax {
            if let violation = run(Plan(seed: seed, plantedFault: plantedFault)).violation {
                return Broken(seed: seed, violation: violation)
            }
        }
        return nil
    }
}
