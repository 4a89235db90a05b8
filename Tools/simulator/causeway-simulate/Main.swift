import CausewaySimulatedWorld
import Foundation

/// The simulator for long runs: see `Tools/simulate`.
@main
struct Main {
    /// Prints without buffering, also through a pipe.
    private static func print(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    private static let usage = """
        usage: causeway-simulate run [SEEDS] [FIRST]   random histories, on all cores
               causeway-simulate explore [FAULTS]      every state of the small worlds, with so many faults on a way
               causeway-simulate planted               each planted fault, and how many seeds it takes to find it
               causeway-simulate hash [SEEDS]          one number for so many histories, the same in every build
               causeway-simulate seed SEED [FAULT]     the whole history of one, with a planted fault or without
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isFine: Bool
        switch arguments.first {
        case "run": isFine = await run(number(arguments, 1) ?? 100_000, from: number(arguments, 2) ?? 0)
        case "hash": isFine = hash(number(arguments, 1) ?? 200)
        case "explore": isFine = await explore(Int(number(arguments, 1) ?? 1))
        case "planted": isFine = findPlanted()
        case "seed": isFine = tell(number(arguments, 1) ?? 1, arguments.dropFirst(2).first)
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

    private static func run(_ seeds: UInt64, from first: UInt64) async -> Bool {
        var total = FaultCounts()
        let clock = ContinuousClock()
        let start = clock.now
        var told = start
        let failures = await Simulation.runAtOnce(
            first..<first + seeds, threads: ProcessInfo.processInfo.activeProcessorCount
        ) { counts in
            total += counts
            guard clock.now - told > .seconds(10) else { return }
            told = clock.now
            print("\(total.seeds) of \(seeds) seeds …")
        }
        let seconds = max(0.001, (clock.now - start) / .seconds(1))
        print("\(total.seeds) seeds in \(Int(seconds * 10) / 10) s: \(Int(Double(total.seeds) / seconds)) seeds/s")
        print(total.summary)
        for failure in failures.sorted(by: { $0.seed < $1.seed }).prefix(20) { print(failure.told) }
        guard failures.isEmpty else {
            print("\(failures.count) parts of the run stopped at a broken invariant")
            return false
        }
        let missing = total.hardlyStruck.map(\.rawValue)
        guard missing.isEmpty else {
            print("void: hardly struck while anything was under way: \(missing.joined(separator: ", "))")
            return false
        }
        return true
    }

    private static func hash(_ seeds: UInt64) -> Bool {
        let (failure, counts) = Simulation.run(0..<seeds)
        print(counts.histories)
        return failure == nil
    }

    private static func explore(_ faults: Int) async -> Bool {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let clock = ContinuousClock()
        var isFine = true
        for (name, size) in SmallWorld.standard(faults: faults) {
            let start = clock.now
            var told = start
            let outcome = await Explorer.explore(size, threads: threads) { states, frontier in
                guard clock.now - told > .seconds(10) else { return }
                told = clock.now
                print("\(states) states so far, \(frontier) to go on from …")
            }
            let seconds = Int((clock.now - start) / .milliseconds(100))
            print(
                "\(name): \(outcome.states) states, \(outcome.transitions) steps between them, depth \(outcome.depth), "
                    + "\(outcome.ends) ends, \(seconds / 10).\(seconds % 10) s")
            if let violation = outcome.violation {
                isFine = false
                print("broken: \(violation)")
                print(outcome.history.joined(separator: "\n"))
            }
        }
        return isFine
    }

    private static func findPlanted() -> Bool {
        var isFine = true
        for plantedFault in PlantedFault.allCases {
            let failure = PlantedFaults.find(plantedFault)
            if failure?.isTold != true { isFine = false }
            let found = failure.map { "found after \($0.seed + 1) seeds: \($0.violation)" }
            print("\(plantedFault.rawValue): \(found ?? "NOT found in \(plantedFault.seedsMax) seeds")")
        }
        return isFine
    }

    private static func tell(_ seed: UInt64, _ fault: String?) -> Bool {
        let plantedFault = fault.map { name in
            guard let plantedFault = PlantedFault(rawValue: name) else {
                let names = PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")
                print("there is no planted fault \(name): \(names)")
                exit(64)
            }
            return plantedFault
        }
        let (history, violation) = Simulation.tell(seed: seed, plantedFault: plantedFault)
        print(history.joined(separator: "\n"))
        if let violation { print("broken: \(violation)") }
        return violation == nil
    }
}
