import CausewayModels
import CausewaySimulationKernel

/// Which check of the judge finds a planted fault, and what finds it when that check is switched off.
package struct JudgedFault: Sendable {
    package let plantedFault: PlantedFault
    /// The check that finds it; `nil` if none does.
    package let check: String?
    /// The check that finds it while the first one is off; `nil` if it is missed then.
    package let substitute: String?
}

extension Simulation {
    /// The name of the check that made a finding: its words, without numbers and what differs from run to run.
    package static func check(of finding: String) -> String {
        let words = finding.split(separator: " ").filter { word in
            word.allSatisfy { $0.isLetter || $0 == "\u{2019}" || $0 == "\'" || $0 == "," || $0 == ":" }
        }
        return words.prefix(7).joined(separator: " ").trimmingLast(",:")
    }

    /// Looks for the fault twice: with all checks, and without the one that found it.
    package static func examine(_ plantedFault: PlantedFault) -> JudgedFault {
        guard let first = find(plantedFault) else {
            return JudgedFault(plantedFault: plantedFault, check: nil, substitute: nil)
        }
        let check = check(of: first.violation)
        let second = SeedRun<FaultCounts>.run(0..<plantedFault.seedsMax, brokenMax: 1) { seed in
            let world = SimulatedWorld(Plan(seed: seed, plantedFault: plantedFault, silenced: check))
            world.run()
            return (world.counts, world.violation)
        }
        let substitute = second.broken.first.map { self.check(of: $0.violation) }
        return JudgedFault(plantedFault: plantedFault, check: check, substitute: substitute)
    }
}

extension String {
    fileprivate func trimmingLast(_ characters: String) -> String {
        var text = self
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text
    }
}
