/// The search for a planted fault: how many seeds it took.
package enum PlantedFaults {
    /// Runs seeds from 0 on until one shows the fault.
    ///
    /// - Returns: the failure, told in its smallest story, whose ``Simulation/Failure/seed`` says how many it took;
    ///   `nil` when it was not found within ``Sabotage/seedsMax``.
    package static func find(_ sabotage: Sabotage) -> Simulation.Failure? {
        Simulation.run(0..<sabotage.seedsMax, sabotage: sabotage).failure
    }
}

extension Sabotage {
    /// Within how many seeds it must be found.
    package var seedsMax: UInt64 {
        switch self {
        case .hubEditsForAnybody, .attentionForgotten, .sendsAnybodys, .resendsWhatIsReplaced: 2_000
        default: 500
        }
    }
}
