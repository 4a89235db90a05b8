import Foundation

/// The command line of a simulator: its arguments, and the reports that all simulators print.
package struct SimulatorProgram: Sendable {
    private let arguments: [String]
    private let usage: String

    package init(usage: String, arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
        self.arguments = arguments
        self.usage = usage
    }

    /// The first argument.
    package var command: String? { arguments.first }

    /// The argument with this index; 0 is the command.
    package func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

    /// The number at this index; ends the program when the argument is none.
    package func number(_ index: Int) -> UInt64? {
        guard let argument = argument(index) else { return nil }
        guard let number = UInt64(argument.filter { $0 != "_" && $0 != "," }) else {
            Self.print("\(argument) is no number\n\(usage)")
            exit(64)
        }
        return number
    }

    /// The planted fault that is named at this index; ends the program when there is none of that name.
    package func plantedFault<Fault>(_ index: Int, among faults: [Fault], name: (Fault) -> String) -> Fault? {
        guard let argument = argument(index) else { return nil }
        guard let fault = faults.first(where: { name($0) == argument }) else {
            Self.print("there is no planted fault \(argument): " + faults.map(name).joined(separator: ", "))
            exit(64)
        }
        return fault
    }

    /// Prints how to use the program, and ends it.
    package func explain() -> Never {
        Self.print(usage)
        exit(command == "--help" ? 0 : 64)
    }

    /// Prints without buffering, also through a pipe.
    package static func print(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    package static var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// The number of broken seeds that end a run, and that are printed.
    private static let brokenMax = 20

    /// Runs seeds on all cores, and prints the counts, the broken seeds and the shortest history of the first.
    ///
    /// - Parameters:
    ///   - void: the reason why the run proves little; `nil` when it proves enough.
    ///   - minimal: the shortest history found in which the broken seed still breaks.
    /// - Returns: true when no invariant broke and the run is not void.
    package static func run<Tally: RunTally>(
        _ seeds: Range<UInt64>, _ one: @escaping SeedRun<Tally>.One, void: (Tally) -> String?,
        minimal: (BrokenSeed) -> [String]
    ) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        let run = SeedRun.run(
            seeds, threads: cores, brokenMax: brokenMax,
            progress: { done, broken in
                // At once: a long run may be interrupted.
                for seed in broken { print("found: seed \(seed.seed): \(seed.violation)") }
                if done % 10_000 == 0 { print("\(done) of \(seeds.count) seeds …") }
            }, one)
        let seconds = max(0.001, (clock.now - start) / .seconds(1))
        let rate = Int(Double(run.tally.seeds) / seconds)
        print("\(run.tally.seeds) seeds in \(Int(seconds * 10) / 10) s on \(cores) cores: \(rate) seeds/s")
        print(run.tally.summary)
        for broken in run.broken.prefix(brokenMax) { print("seed \(broken.seed): \(broken.violation)") }
        if let first = run.broken.first(where: \.isRepeatable) {
            print("\nthe shortest history found of seed \(first.seed):")
            print(minimal(first).joined(separator: "\n"))
        }
        guard run.broken.isEmpty else { return false }
        if let reason = void(run.tally) {
            print("void: \(reason)")
            return false
        }
        return true
    }

    /// Runs seeds on all cores up to the first broken one, and prints that one alone: for mutants of the source.
    ///
    /// - Parameter missed: what the run should have reached, and did not; `nil` when it reached everything.
    /// - Returns: true when no invariant broke.
    package static func runToFirst<Tally: RunTally>(
        _ seeds: Range<UInt64>, _ one: @escaping SeedRun<Tally>.One, missed: (Tally) -> String? = { _ in nil }
    ) -> Bool {
        let run = SeedRun.run(seeds, threads: cores, brokenMax: 1, one)
        if let first = run.broken.first {
            print("seed \(first.seed): \(first.violation)")
            return false
        }
        if let missed = missed(run.tally) {
            print("\(run.tally.seeds) seeds: \(missed)")
            return false
        }
        print("\(run.tally.seeds) seeds, none broken")
        return true
    }

    /// Searches for each planted fault, and prints the seed that reveals it.
    ///
    /// - Returns: true when every fault was found, and by a seed that gives the same history twice.
    package static func findAll<Fault>(
        _ faults: [Fault], name: (Fault) -> String, find: (Fault) -> BrokenSeed?
    ) -> Bool {
        var missed: [String] = []
        for fault in faults {
            let found = find(fault)
            if found?.isRepeatable != true { missed.append(name(fault)) }
            print("\(name(fault)): \(found.map { "seed \($0.seed): \($0.violation)" } ?? "NOT FOUND")")
        }
        // At the end, where a report that was cut still shows it.
        if !missed.isEmpty {
            print("not found, or by a history that differs when it is repeated: \(missed.joined(separator: ", "))")
        }
        return missed.isEmpty
    }
}
