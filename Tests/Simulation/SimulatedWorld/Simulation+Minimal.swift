import CausewayModels
import CausewayOutbox
package import CausewaySimulationKernel

extension Simulation {
    /// The number of lines of a history that suffice to see the cause.
    private static let linesMax = 120

    /// The shortest history found that still breaks the invariant: fewer clients, acts, strikes and kinds of faults, a
    /// simpler configuration.
    package static func minimal(of broken: BrokenSeed, plantedFault: PlantedFault? = nil) -> [String] {
        var shrinker = Shrinker(Plan(seed: broken.seed, plantedFault: plantedFault), broken.violation) { plan in
            let world = SimulatedWorld(plan)
            world.run()
            return world.violation
        }
        shrinkWhole(&shrinker)
        let acts = (0..<shrinker.plan.clientCount).flatMap { client in
            (0..<shrinker.plan.actCount).map { Plan.Act(client: client, number: $0) }
        }
        shrinker.remove(acts) { $0.sparedActs.formUnion($1) }
        shrinker.remove(recorded(shrinker.plan).strikes) { $0.sparedHits.formUnion($1) }
        let plan = shrinker.plan
        shrinker.remove(acts.filter { !plan.sparedActs.contains($0) }) { $0.sparedActs.formUnion($1) }
        return ["the smallest of \(shrinker.runs) histories: \(shrinker.violation)"]
            + recorded(shrinker.plan).history.lines.suffix(linesMax)
    }

    /// Tries fewer clients, fewer acts, no strikes of whole kinds of faults, a simpler configuration.
    private static func shrinkWhole(_ shrinker: inout Shrinker<Plan>) {
        if shrinker.plan.clientCount > 1 { shrinker.attempt { $0.clientCount = 1 } }
        while shrinker.plan.actCount > 1, shrinker.attempt({ $0.actCount = $0.actCount * 2 / 3 }) {}
        for fault in Fault.allCases where shrinker.plan.likelihoods[fault] > 0 {
            shrinker.attempt { $0.likelihoods[fault] = 0 }
        }
        for simplified: (inout Plan) -> Void in [
            { $0.accountCount = 1 }, { $0.channelCount = 1 }, { $0.ordering = .laned },
            { $0.configuration.deliveriesInFlightMax = 1 }, { $0.configuration.batchOperationsMax = 1 },
            { $0.configuration.retry = .documented },
        ] { shrinker.attempt(simplified) }
    }

    private static func recorded(_ plan: Plan) -> SimulatedWorld {
        let world = SimulatedWorld(plan, isRecording: true)
        world.run()
        return world
    }
}
