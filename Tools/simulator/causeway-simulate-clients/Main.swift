import CausewaySimulatedClient
import CausewaySimulationKernel
import Foundation

/// The simulator of whole clients for long runs: see `Tools/simulate-clients`.
@main
struct Main {
    private static let program = SimulatorProgram(
        usage: """
            usage: causeway-simulate-clients run [SEEDS] [FIRST]     random histories, on all cores
                   causeway-simulate-clients steady [SEEDS] [FIRST]  the same with a hub that keeps its data
                   causeway-simulate-clients disk [SEEDS] [FIRST]    the same with file stores, on disks in memory that
                                                                     fail and lose their power
                   causeway-simulate-clients first [SEEDS]           up to the first that breaks, which it prints
                   causeway-simulate-clients seed SEED [steady | disk] [FAULT]
                                                                     the history of one, with a planted fault or without
                   causeway-simulate-clients minimal SEED [steady | disk] [FAULT]
                                                                     the shortest history found in which it still breaks
                   causeway-simulate-clients faults [SEEDS] [FAULT]  whether each planted fault is found within so many
                   causeway-simulate-clients judges [SEEDS] [FAULT]  the planted faults that only one check finds
                   causeway-simulate-clients digest [SEEDS] [FIRST] [bare | disk]
                                                                     one number for all these histories; bare: without
                                                                     files, as in older regressions; disk: with file
                                                                     stores
            """)

    static func main() {
        let isFine: Bool
        switch program.command {
        case "run": isFine = run(isSteady: false)
        case "steady": isFine = run(isSteady: true)
        case "disk": isFine = run(isSteady: false, hasDisk: true)
        case "first":
            isFine = SimulatorProgram.runToFirst(0..<(program.number(1) ?? 2_000)) {
                Simulation.run($0, isSteady: false)
            }
        case "digest":
            isFine = digest(program.number(1) ?? 100, from: program.number(2) ?? 0, program.argument(3))
        case "faults": isFine = findPlantedFaults(program.number(1) ?? 4_000)
        case "judges": isFine = findOnlyChecks(program.number(1) ?? 300)
        case "seed": isFine = tell(Simulation.run(plan, isTold: true))
        case "minimal": isFine = tell(Simulation.minimal(plan))
        default: program.explain()
        }
        exit(isFine ? 0 : 1)
    }

    private static var plan: Plan {
        let isSteady = program.argument(2) == "steady"
        let hasDisk = program.argument(2) == "disk"
        let place = isSteady || hasDisk ? 3 : 2
        let plantedFault = program.plantedFault(place, among: PlantedFault.allCases, name: \.name)
        return Plan(
            seed: program.number(1) ?? 1, plantedFault: plantedFault, isSteady: isSteady, hasDisk: hasDisk)
    }

    private static func run(isSteady: Bool, hasDisk: Bool = false) -> Bool {
        let first = program.number(2) ?? 0
        return SimulatorProgram.run(
            first..<first + (program.number(1) ?? 10_000),
            { Simulation.run($0, isSteady: isSteady, hasDisk: hasDisk) },
            void: { $0.voidReason(isSteady: isSteady, hasDisk: hasDisk) },
            minimal: { Simulation.minimal(Plan(seed: $0.seed, isSteady: isSteady, hasDisk: hasDisk)).history })
    }

    private static func findPlantedFaults(_ seedsMax: UInt64) -> Bool {
        let only = program.plantedFault(2, among: PlantedFault.allCases, name: \.name)
        return SimulatorProgram.findAll(only.map { [$0] } ?? PlantedFault.allCases, name: \.name) {
            Simulation.find($0, seedsMax: seedsMax)
        }
    }

    /// Prints the planted faults that are missed when the check that finds them first is switched off, by check.
    private static func findOnlyChecks(_ seedsMax: UInt64) -> Bool {
        let only = program.plantedFault(2, among: PlantedFault.allCases, name: \.name)
        var faults: [Check: [String]] = [:]
        for fault in only.map({ [$0] }) ?? PlantedFault.allCases {
            guard let check = Simulation.check(revealing: fault, seedsMax: seedsMax) else {
                SimulatorProgram.print("\(fault.name): NOT FOUND")
                continue
            }
            let other = Simulation.check(revealing: fault, seedsMax: seedsMax, ignoring: check)
            SimulatorProgram.print("\(fault.name): \(check), without it \(other?.rawValue ?? "missed")")
            if other == nil { faults[check, default: []].append(fault.name) }
        }
        let named = Check.allCases.filter { faults[$0] != nil }
        for check in named { SimulatorProgram.print("only \(check): \((faults[check] ?? []).joined(separator: ", "))") }
        let others = Check.allCases.filter { faults[$0] == nil }.map(\.rawValue)
        SimulatorProgram.print(
            "\(named.count) of \(Check.allCases.count) checks; not \(others.joined(separator: ", "))")
        return true
    }

    private static func digest(_ seeds: UInt64, from first: UInt64, _ kind: String?) -> Bool {
        let run = Simulation.run(
            first..<first + seeds, hasFiles: kind == "bare" ? false : nil, hasDisk: kind == "disk",
            threads: SimulatorProgram.cores)
        SimulatorProgram.print(String(run.tally.digest, radix: 16))
        return true
    }

    private static func tell(_ run: Simulation) -> Bool {
        SimulatorProgram.print(run.history.joined(separator: "\n"))
        return run.violation == nil
    }
}
