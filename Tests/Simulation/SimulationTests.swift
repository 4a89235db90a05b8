import CausewayModels
import Foundation
import Testing

/// The outbox machine and the hub's rules, through thousands of bad days.
@Suite struct SimulationTests {
    @Test(arguments: 0..<8)
    func everySeedKeepsTheInvariants(chunk: UInt64) {
        var counts = FaultCounts()
        for seed in chunk * 250..<(chunk + 1) * 250 {
            if let failure = Simulation.run(seed: seed, counts: &counts) {
                Issue.record("\(failure.told)")
                return
            }
        }
        #expect(counts.rarest.count > 5, "a fault hardly occurred:\n\(counts.table)")
    }

    @Test func survey() {
        var found: [String: (Int, UInt64)] = [:]
        var counts = FaultCounts()
        for seed in UInt64(0)..<UInt64(ProcessInfo.processInfo.environment["SEEDS"].flatMap(Int.init) ?? 2000) {
            let w = SimulatedWorld(Plan(seed: seed))
            w.run()
            counts += w.counts
            if let v = w.violation {
                let k = v.replacing(/[0-9]+/, with: "#")
                found[k] = ((found[k]?.0 ?? 0) + 1, found[k]?.1 ?? seed)
            }
        }
        for (k, v) in found.sorted(by: { $0.value.0 > $1.value.0 }) { print(v.0, "first", v.1, k) }
        print(counts.table, counts.created, counts.accepted, counts.deleted, counts.resent, counts.steps)
    }

    @Test func one() {
        var c = FaultCounts()
        for seed in (ProcessInfo.processInfo.environment["SEED"] ?? "1").split(separator: ",") {
            print(Simulation.run(seed: UInt64(seed)!, counts: &c)?.told ?? "fine")
        }
    }
}
