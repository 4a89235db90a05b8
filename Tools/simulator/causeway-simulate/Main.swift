import CausewaySimulatedWorld
import CausewaySimulationKernel
import Foundation

/// The simulator for long runs: see `Tools/simulate`.
@main
struct Main {
    private static let program = SimulatorProgram(
        usage: """
            usage: causeway-simulate run [SEEDS] [FIRST]   random histories, on all cores
                   causeway-simulate first [SEEDS]         up to the first that breaks, which it prints
                   causeway-simulate explore [FAULTS]      every state of the small worlds, with so many faults on a way
                   causeway-simulate planted               each planted fault, and how many seeds it takes to find it
                   causeway-simulate judges                which checks find them, and which faults only one finds
                   causeway-simulate hash [SEEDS]          one number for so many histories, the same in every build
                   causeway-simulate seed SEED [FAULT]     the whole history of one, with a planted fault or without
                   causeway-simulate minimal SEED [FAULT]  the shortest history found in which it still breaks
            """)

    static func main() async {
        let isFine: Bool
        switch program.command {
        case "run": isFine = run(program.number(1) ?? 100_000, from: program.number(2) ?? 0)
        case "first":
            isFine = SimulatorProgram.runToFirst(
                0..<(program.number(1) ?? 20_000), { Simulation.run($0) }, missed: \.missedMilestone)
        case "hash": isFine = hash(program.number(1) ?? 200)
        case "explore": isFine = await explore(Int(program.number(1) ?? 1))
        case "planted":
            isFine = SimulatorProgram.findAll(PlantedFault.allCases, name: \.rawValue, find: Simulation.find)
        case "judges": isFine = judges()
        case "seed": isFine = tell(program.number(1) ?? 1)
        case "minimal": isFine = tellMinimal(program.number(1) ?? 1)
        default: program.explain()
        }
        exit(isFine ? 0 : 1)
    }

    private static var plantedFault: PlantedFault? {
        program.plantedFault(2, among: PlantedFault.allCases, name: \.rawValue)
    }

    private static func run(_ seeds: UInt64, from first: UInt64) -> Bool {
        SimulatorProgram.run(
            first..<first + seeds, { Simulation.run($0) },
            void: \.voidReason,
            minimal: { Simulation.minimal(of: $0) })
    }

    private static func hash(_ seeds: UInt64) -> Bool {
        let run = Simulation.run(0..<seeds)
        SimulatorProgram.print(run.tally.histories)
        return run.broken.isEmpty
    }

    private static func explore(_ faults: Int) async -> Bool {
        let threads = SimulatorProgram.cores
        let clock = ContinuousClock()
        var isFine = true
        for (name, size) in SmallWorld.standard(faults: faults) {
            let start = clock.now
            var told = start
            let outcome = await Explorer.explore(size, threads: threads) { states, frontier in
                guard clock.now - told > .seconds(10) else { return }
                told = clock.now
                SimulatorProgram.print("\(states) states so far, \(frontier) to go on from …")
            }
            let seconds = Int((clock.now - start) / .milliseconds(100))
            SimulatorProgram.print(
                "\(name): \(outcome.states) states, \(outcome.transitions) steps between them, depth \(outcome.depth), "
                    + "\(outcome.ends) ends, \(seconds / 10).\(seconds % 10) s")
            if let violation = outcome.violation {
                isFine = false
                SimulatorProgram.print("broken: \(violation)")
                SimulatorProgram.print(outcome.history.joined(separator: "\n"))
            }
        }
        return isFine
    }

    /// Prints for each check the planted faults that it finds first, those that no other check finds with a star.
    private static func judges() -> Bool {
        var found: [String: [String]] = [:]
        var missed: [String] = []
        for plantedFault in PlantedFault.allCases {
            let judged = Simulation.examine(plantedFault)
            guard let check = judged.check else {
                missed.append(plantedFault.rawValue)
                continue
            }
            found[check, default: []].append(plantedFault.rawValue + (judged.substitute == nil ? "*" : ""))
        }
        let lines = found.sorted { $0.key < $1.key }.map { "\($0.key)\n    \($0.value.joined(separator: ", "))" }
        SimulatorProgram.print(lines.joined(separator: "\n"))
        let named = found.values.count { $0.contains { $0.hasSuffix("*") } }
        SimulatorProgram.print(
            "\(found.count) checks find planted faults first, \(named) of them one that no other finds (*)")
        if !missed.isEmpty { SimulatorProgram.print("found by none: \(missed.joined(separator: ", "))") }
        return missed.isEmpty
    }

    private static func tell(_ seed: UInt64) -> Bool {
        let (history, violation) = Simulation.tell(seed: seed, plantedFault: plantedFault)
        SimulatorProgram.print(history.joined(separator: "\n"))
        if let violation { SimulatorProgram.print("broken: \(violation)") }
        return violation == nil
    }

    private static func tellMinimal(_ seed: UInt64) -> Bool {
        guard let broken = Simulation.run(seed..<seed + 1, plantedFault: plantedFault).broken.first else {
            return tell(seed)
        }
        SimulatorProgram.print(Simulation.minimal(of: broken, plantedFault: plantedFault).joined(separator: "\n"))
        return false
    }
}
