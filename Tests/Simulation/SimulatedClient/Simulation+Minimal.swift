extension Simulation {
    /// The smallest plan found that still breaks an invariant: fewer kinds of faults, fewer acts, fewer devices and
    /// users. It keeps the seed for the remaining parts; the broken invariant may be another one.
    package static func minimal(_ plan: Plan) -> Simulation {
        var best = plan
        for fault in Fault.allCases where best.likelihoods[fault, default: 0] > 0 {
            var smaller = best
            smaller.likelihoods[fault] = 0
            if breaks(smaller) { best = smaller }
        }
        while best.devices.count > 1 {
            var smaller = best
            smaller.devices.removeLast()
            guard breaks(smaller) else { break }
            best = smaller
        }
        for device in best.devices.indices where best.devices[device].userCount > 1 {
            var smaller = best
            smaller.devices[device].userCount = 1
            if breaks(smaller) { best = smaller }
        }
        while best.actsOfEachUser > 1 {
            var smaller = best
            smaller.actsOfEachUser -= 1
            guard breaks(smaller) else { break }
            best = smaller
        }
        return run(best, isTold: true)
    }

    private static func breaks(_ plan: Plan) -> Bool { run(plan).violation != nil }
}
