import CausewayModels
import CausewayOutbox

/// Shrinks a history that breaks an invariant: removes acts, faults and clients that it does not need.
///
/// Greedy: it removes halves, quarters and so on, and keeps each smaller history that still breaks the invariant.
/// Bounded by ``runsMax``.
struct Shrinker {
    private var plan: Plan
    private var violation: String
    private var runs = 0

    private static let runsMax = 600
    /// The number of lines of a history that suffice to see the cause.
    private static let linesMax = 120

    init(_ plan: Plan, _ violation: String) {
        self.plan = plan
        self.violation = violation
    }

    /// The smallest history found.
    func history() -> String {
        var shrinker = self
        return shrinker.shrunk()
    }

    private mutating func shrunk() -> String {
        shrinkWhole()
        let acts = (0..<plan.clientCount).flatMap { client in
            (0..<plan.actCount).map { Plan.Act(client: client, number: $0) }
        }
        shrink(acts) { $0.sparedActs.formUnion($1) }
        shrink(tell().strikes) { $0.sparedHits.formUnion($1) }
        shrink(acts.filter { !plan.sparedActs.contains($0) }) { $0.sparedActs.formUnion($1) }
        let world = tell()
        return "the smallest of \(runs) stories: \(violation)\n" + world.history.ending(Self.linesMax)
    }

    /// Tries fewer clients, fewer acts, no strikes of whole kinds of faults, a simpler configuration.
    private mutating func shrinkWhole() {
        if plan.clientCount > 1 { _ = attempt { $0.clientCount = 1 } }
        while plan.actCount > 1, attempt({ $0.actCount = $0.actCount * 2 / 3 }) {}
        for fault in Fault.allCases where plan.likelihoods[fault.index] > 0 {
            _ = attempt { $0.likelihoods[fault.index] = 0 }
        }
        for simplified: (inout Plan) -> Void in [
            { $0.accountCount = 1 }, { $0.channelCount = 1 }, { $0.ordering = .laned },
            { $0.configuration.deliveriesInFlightMax = 1 }, { $0.configuration.batchOperationsMax = 1 },
            { $0.configuration.retry = .documented },
        ] { _ = attempt(simplified) }
    }

    private mutating func shrink<Part>(_ parts: [Part], _ spare: (inout Plan, [Part]) -> Void) {
        var size = max(1, parts.count / 2)
        var left = parts
        while !left.isEmpty {
            var kept: [Part] = []
            for start in stride(from: 0, to: left.count, by: size) {
                let part = Array(left[start..<min(start + size, left.count)])
                if !attempt({ spare(&$0, part) }) { kept += part }
            }
            left = kept
            if size == 1 { return }
            size = max(1, size / 2)
        }
    }

    /// Keeps the change when the resulting history still breaks the invariant.
    private mutating func attempt(_ change: (inout Plan) -> Void) -> Bool {
        guard runs < Self.runsMax else { return false }
        runs += 1
        var smaller = plan
        change(&smaller)
        let world = SimulatedWorld(smaller)
        world.run()
        // The same text with other numbers is the same fault; another fault is left to another seed.
        guard let violation = world.violation, violation.isLike(self.violation) else { return false }
        plan = smaller
        self.violation = violation
        return true
    }

    private func tell() -> SimulatedWorld {
        let world = SimulatedWorld(plan, isRecording: true)
        world.run()
        return world
    }
}

extension String {
    /// True when both texts are equal except for numbers.
    fileprivate func isLike(_ other: String) -> Bool {
        let (one, other) = (filter(\.isLetter), other.filter(\.isLetter))
        return one.prefix(40) == other.prefix(40)
    }
}
