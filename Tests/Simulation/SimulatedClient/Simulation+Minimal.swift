import CausewaySimulationKernel

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
