/// The search for a planted fault.
package enum PlantedFaults {
    /// Runs seeds from 0 on until one reveals the fault.
    ///
    /// - Returns: the failure with its smallest history; its ``Simulation/Failure/seed`` is the number of seeds it
    ///   took. `nil` when it was not found within ``PlantedFault/seedsMax``.
    package static func find(_ plantedFault: PlantedFault) -> Simulation.Failure? {
        Simulation.run(0..<plantedFault.seedsMax, plantedFault: plantedFault).failure
    }
}

extension PlantedFault {
    /// The number of seeds within which it must be found.
    package var seedsMax: UInt64 {
        switch self {
        case .hubEditsForAnybody, .attentionForgotten, .sendsAnybodys, .resendsWhatIsReplaced: 2_000
        default: 500
        }
    }
}
