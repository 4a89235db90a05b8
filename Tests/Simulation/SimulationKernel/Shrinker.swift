/// Shrinks a plan whose history breaks an invariant: each change that leaves the same invariant broken is kept.
///
/// Greedy, and bounded by a number of runs.
package struct Shrinker<Plan> {
    package private(set) var plan: Plan
    /// The violation of the present plan.
    package private(set) var violation: String
    package private(set) var runs = 0

    private let runsMax: Int
    private let violationOf: (Plan) -> String?

    /// - Parameter violationOf: runs a plan, and returns the first violated invariant.
    package init(
        _ plan: Plan, _ violation: String, runsMax: Int = 600, violationOf: @escaping (Plan) -> String?
    ) {
        self.plan = plan
        self.violation = violation
        self.runsMax = runsMax
        self.violationOf = violationOf
    }

    /// Keeps the change when the resulting history still breaks the invariant.
    @discardableResult
    package mutating func attempt(_ change: (inout Plan) -> Void) -> Bool {
        guard runs < runsMax else { return false }
        runs += 1
        var smaller = plan
        change(&smaller)
        // The same text with other numbers is the same fault; another fault is left to another seed.
        guard let violation = violationOf(smaller), violation.isLike(self.violation) else { return false }
        plan = smaller
        self.violation = violation
        return true
    }

    /// Removes halves of the parts, quarters and so on, as long as the invariant stays broken.
    package mutating func remove<Part>(_ parts: [Part], _ spare: (inout Plan, [Part]) -> Void) {
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
}

extension String {
    /// True when both texts are equal except for numbers.
    fileprivate func isLike(_ other: String) -> Bool {
        let (one, other) = (filter(\.isLetter), other.filter(\.isLetter))
        return one.prefix(40) == other.prefix(40)
    }
}
