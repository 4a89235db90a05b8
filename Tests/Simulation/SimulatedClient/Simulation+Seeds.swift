package import CausewaySimulationKernel

extension Simulation {
    /// Runs seeds on several threads.
    ///
    /// - Parameters:
    ///   - isSteady: whether the hub keeps its data.
    ///   - hasDisk: whether the clients have file stores.
    ///   - brokenMax: the number of broken seeds after which the run stops soon.
    package static func run(
        _ seeds: Range<UInt64>, plantedFault: PlantedFault? = nil, isSteady: Bool = false, hasFiles: Bool? = nil,
        hasDisk: Bool = false, threads: Int = 1, brokenMax: Int = .max
    ) -> SeedRun<Tally> {
        SeedRun.run(seeds, threads: threads, brokenMax: brokenMax) {
            run($0, plantedFault: plantedFault, isSteady: isSteady, hasFiles: hasFiles, hasDisk: hasDisk)
        }
    }

    /// Runs one seed.
    package static func run(
        _ seed: UInt64, plantedFault: PlantedFault? = nil, isSteady: Bool = false, hasFiles: Bool? = nil,
        hasDisk: Bool = false
    ) -> (tally: Tally, violation: String?) {
        let run = run(
            Plan(seed: seed, plantedFault: plantedFault, isSteady: isSteady, hasFiles: hasFiles, hasDisk: hasDisk))
        return (run.tally, run.violation)
    }

    /// The check that reveals a planted fault in the first of `seedsMax` seeds that does.
    ///
    /// - Parameter ignored: a check that is switched off.
    package static func check(
        revealing plantedFault: PlantedFault, seedsMax: UInt64, ignoring ignored: Check? = nil
    ) -> Check? {
        for seed in 1...seedsMax {
            var plan = Plan(seed: seed, plantedFault: plantedFault)
            plan.ignoredCheck = ignored
            if let check = run(plan).brokenCheck { return check }
        }
        return nil
    }

    /// Returns the first seed that reveals a planted fault; `nil` when `seedsMax` seeds do not.
    package static func find(_ plantedFault: PlantedFault, seedsMax: UInt64) -> BrokenSeed? {
        run(1..<seedsMax + 1, plantedFault: plantedFault, brokenMax: 1).broken.first
    }
}

extension Simulation {
    /// The smallest plan found that still breaks the same invariant: fewer kinds of faults, fewer acts, fewer devices
    /// and users. It keeps the seed for the remaining parts.
    package static func minimal(_ plan: Plan) -> Simulation {
        guard let violation = run(plan).violation else { return run(plan, isTold: true) }
        var shrinker = Shrinker(plan, violation) { run($0).violation }
        for fault in Fault.allCases where shrinker.plan.likelihoods[fault] > 0 {
            shrinker.attempt { $0.likelihoods[fault] = 0 }
        }
        while shrinker.plan.devices.count > 1, shrinker.attempt({ $0.devices.removeLast() }) {}
        for device in shrinker.plan.devices.indices where shrinker.plan.devices[device].userCount > 1 {
            shrinker.attempt { $0.devices[device].userCount = 1 }
        }
        while shrinker.plan.actsOfEachUser > 1, shrinker.attempt({ $0.actsOfEachUser -= 1 }) {}
        return run(shrinker.plan, isTold: true)
    }
}
