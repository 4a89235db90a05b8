import Testing

/// The simulator would see it: each fault that is planted on purpose breaks an invariant within a few seeds.
@Suite struct PlantedFaultTests {
    @Test(arguments: Sabotage.allCases)
    func aPlantedFaultIsFound(sabotage: Sabotage) throws {
        let failure = try #require(
            Simulation.run(0..<sabotage.seedsMax, sabotage: sabotage).failure,
            "\(sabotage) was not found within \(sabotage.seedsMax) seeds")
        print("\(sabotage): seed \(failure.seed): \(failure.violation)")
        #expect(!failure.violation.contains("no reproduction"))
        #expect(!failure.story.isEmpty)
    }
}

extension Sabotage {
    /// Within how many seeds it must be found.
    var seedsMax: UInt64 {
        switch self {
        case .hubForgetsMarks: 4000  // only the very first message of a lane can come late then
        default: 200
        }
    }
}
