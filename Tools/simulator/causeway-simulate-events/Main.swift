import CausewaySimulatedFollower
import CausewaySimulationKernel
import Foundation

/// The simulator of the hub's log and its followers for long runs: see `Tools/simulate-events`.
@main
struct Main {
    private static let program = SimulatorProgram(
        usage: """
            usage: causeway-simulate-events run [SEEDS] [FIRST]   random histories, on all cores
                   causeway-simulate-events reconnects NUMBER     so many seeds that streams are opened so often
                   causeway-simulate-events planted               each planted fault, and the seed that finds it
                   causeway-simulate-events seed SEED [FAULT]     the whole history of one, with a fault or without
            """)

    static func main() {
        let isFine: Bool
        switch program.command {
        case "run": isFine = run(program.number(1) ?? 20_000, from: program.number(2) ?? 0)
        case "reconnects": isFine = run(seeds(for: program.number(1) ?? 1_000_000), from: 0)
        case "planted":
            isFine = SimulatorProgram.findAll(
                FollowerPlantedFault.allCases, name: \.rawValue, find: FollowerSimulation.find)
        case "seed": isFine = tell(program.number(1) ?? 1)
        default: program.explain()
        }
        exit(isFine ? 0 : 1)
    }

    /// Measured on a sample, and a tenth more.
    private static func seeds(for reconnects: UInt64) -> UInt64 {
        let sample = SeedRun<FollowerTally>.run(0..<1_000, threads: SimulatorProgram.cores) {
            FollowerSimulation.run($0)
        }
        return reconnects * 1_100 / UInt64(max(1, sample.tally.reconnects))
    }

    private static func run(_ seeds: UInt64, from first: UInt64) -> Bool {
        SimulatorProgram.run(
            first..<first + seeds, { FollowerSimulation.run($0) },
            void: { tally in
                let missing = tally.hardlyStruck().map(\.rawValue).joined(separator: ", ")
                return missing.isEmpty ? nil : "hardly struck: \(missing)"
            },
            minimal: { FollowerSimulation.tell(seed: $0.seed).history.suffix(120) })
    }

    private static func tell(_ seed: UInt64) -> Bool {
        let fault = program.plantedFault(2, among: FollowerPlantedFault.allCases, name: \.rawValue)
        let (history, violation) = FollowerSimulation.tell(seed: seed, plantedFault: fault)
        SimulatorProgram.print(history.joined(separator: "\n"))
        if let violation { SimulatorProgram.print("broken: \(violation)") }
        return violation == nil
    }
}
