import CausewaySimulatedClient
import Foundation

/// The simulator of whole clients for long runs: see `Tools/simulate-clients`.
@main
struct Main {
    private static let usage = """
        usage: causeway-simulate-clients run [SEEDS] [FIRST]     random histories, on all cores
               causeway-simulate-clients steady [SEEDS] [FIRST]  the same with a hub that keeps its data
               causeway-simulate-clients seed SEED [steady] [FAULT]
                                                                 the history of one, with a planted fault or without
               causeway-simulate-clients minimal SEED [steady] [FAULT]
                                                                 the shortest history found in which it still breaks
               causeway-simulate-clients faults [SEEDS]          whether each planted fault is found within so many
               causeway-simulate-clients digest [SEEDS] [FIRST]  one number for all these histories
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isFine: Bool
        switch arguments.first {
        case "run": isFine = run(number(arguments, 1) ?? 10_000, from: number(arguments, 2) ?? 0, isSteady: false)
        case "steady": isFine = run(number(arguments, 1) ?? 10_000, from: number(arguments, 2) ?? 0, isSteady: true)
        case "digest": isFine = digest(number(arguments, 1) ?? 100, from: number(arguments, 2) ?? 0)
        case "faults": isFine = findPlantedFaults(number(arguments, 1) ?? 4_000)
        case "seed": isFine = tell(Simulation.run(plan(arguments), isTold: true))
        case "minimal": isFine = tell(Simulation.minimal(plan(arguments)))
        default:
            print(usage)
            exit(arguments.first == "--help" ? 0 : 64)
        }
        exit(isFine ? 0 : 1)
    }

    private static func number(_ arguments: [String], _ index: Int) -> UInt64? {
        guard index < arguments.count else { return nil }
        guard let number = UInt64(arguments[index].filter { $0 != "_" && $0 != "," }) else {
            print("\(arguments[index]) is no number\n\(usage)")
            exit(64)
        }
        return number
    }

    private static func plan(_ arguments: [String]) -> Plan {
        let isSteady = arguments.dropFirst(2).first == "steady"
        let plantedFault = arguments.dropFirst(isSteady ? 3 : 2).first.map { name in
            guard let plantedFault = PlantedFault.allCases.first(where: { $0.name == name }) else {
                print("there is no planted fault \(name): " + PlantedFault.allCases.map(\.name).joined(separator: ", "))
                exit(64)
            }
            return plantedFault
        }
        return Plan(seed: number(arguments, 1) ?? 1, plantedFault: plantedFault, isSteady: isSteady)
    }

    private static func run(_ seeds: UInt64, from first: UInt64, isSteady: Bool) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let range = Simulation.run(first..<first + seeds, isSteady: isSteady, threads: cores, brokenMax: 20) { done in
            if done % 10_000 == 0 { print("\(done) of \(seeds) seeds …") }
        }
        let seconds = max(0.001, (clock.now - start) / .seconds(1))
        let rate = Int(Double(range.tally.seeds) / seconds)
        print("\(range.tally.seeds) seeds in \(Int(seconds * 10) / 10) s on \(cores) cores: \(rate) seeds/s")
        print(range.tally.summary)
        for broken in range.broken.prefix(20) { print("seed \(broken.seed): \(broken.violation)") }
        if let first = range.broken.first {
            print("\nthe shortest history found of seed \(first.seed):")
            _ = tell(Simulation.minimal(Plan(seed: first.seed, isSteady: isSteady)))
        }
        for seed in range.unlike { print("seed \(seed) gave two different histories") }
        guard range.broken.isEmpty, range.unlike.isEmpty else { return false }
        if let void = range.tally.voidReason(isSteady: isSteady) {
            print("void: \(void)")
            return false
        }
        return true
    }

    private static func findPlantedFaults(_ seedsMax: UInt64) -> Bool {
        var missed = 0
        for plantedFault in PlantedFault.allCases {
            if let found = Simulation.find(plantedFault, seedsMax: seedsMax) {
                print("\(plantedFault.name): seed \(found.seed): \(found.violation)")
            } else {
                missed += 1
                print("\(plantedFault.name): NOT FOUND within \(seedsMax) seeds")
            }
        }
        return missed == 0
    }

    private static func digest(_ seeds: UInt64, from first: UInt64) -> Bool {
        let range = Simulation.run(first..<first + seeds, threads: ProcessInfo.processInfo.activeProcessorCount)
        print(String(range.tally.digest, radix: 16))
        return true
    }

    private static func tell(_ run: Simulation) -> Bool {
        print(run.history.joined(separator: "\n"))
        return run.violation == nil
    }
}
