/// The kinds of faults of a simulated world.
package protocol SimulatedFault: CaseIterable, Hashable, Sendable {
    var name: String { get }
    /// In thousandths of its occasions, before a plan multiplies it.
    var likelihood: Int { get }
}

extension SimulatedFault where Self: RawRepresentable, RawValue == String {
    package var name: String { rawValue }
}

/// The likelihood of each fault in one run, in thousandths, whenever it can strike.
package struct FaultLikelihoods<Fault: SimulatedFault>: Sendable {
    @usableFromInline var thousandths: [Fault: Int] = [:]

    package init() {}

    @inlinable
    package subscript(_ fault: Fault) -> Int {
        get { thousandths[fault, default: 0] }
        set { thousandths[fault] = newValue }
    }

    /// Draws for each of the faults whether it can strike, and how likely it is.
    ///
    /// - Parameter badness: the number of faults that can strike, of six.
    package mutating func draw(
        _ faults: some Sequence<Fault>, badness: Int, using generator: inout some RandomNumberGenerator
    ) {
        for fault in faults {
            let isOn = Int.random(in: 0..<6, using: &generator) < badness
            self[fault] = isOn ? fault.likelihood * Int.random(in: 1...3, using: &generator) : 0
        }
    }
}

/// How often each fault struck in a run or in many, and how much was in flight then.
package struct FaultTally<Fault: SimulatedFault>: Sendable, Equatable {
    package private(set) var struck: [Fault: Int] = [:]
    /// The number of strikes while something was in flight.
    package private(set) var struckInFlight: [Fault: Int] = [:]
    /// The number of things in flight when the fault struck, summed over its strikes.
    package private(set) var inFlight: [Fault: Int] = [:]

    package init() {}

    /// - Parameter count: the number of messages or deliveries in flight.
    package mutating func count(_ fault: Fault, inFlight count: Int) {
        struck[fault, default: 0] += 1
        guard count > 0 else { return }
        struckInFlight[fault, default: 0] += 1
        inFlight[fault, default: 0] += count
    }

    package static func += (left: inout Self, right: Self) {
        left.struck.merge(right.struck, uniquingKeysWith: +)
        left.struckInFlight.merge(right.struckInFlight, uniquingKeysWith: +)
        left.inFlight.merge(right.inFlight, uniquingKeysWith: +)
    }

    /// A line for each fault.
    ///
    /// - Parameter unit: the name of what is counted as in flight, in the plural.
    package func table(of unit: String) -> String {
        let width = Fault.allCases.map(\.name.count).max() ?? 0
        return Fault.allCases.map { fault in
            let name = fault.name + String(repeating: " ", count: width - fault.name.count)
            return "  \(name) struck \(struck[fault, default: 0]) times, \(struckInFlight[fault, default: 0])"
                + " with \(unit) under way (\(inFlight[fault, default: 0]) \(unit))"
        }.joined(separator: "\n")
    }
}
