import ArgumentParser
import Foundation

/// Measures and prints; `Tools/bench/run` builds it, prepares what it needs, and calls it.
@main struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-bench", abstract: "Measure, each figure beside something to compare it with.",
        subcommands: [OutboxBench.self, LiveBench.self])

    /// Says on the standard error how far it is.
    static func progress(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("bench: \(text)\n".utf8))
    }

    /// Names the goals that were missed, and fails when there are any.
    static func judge(_ goals: [Goal], noGoals: Bool) throws {
        let missed = goals.filter { !$0.isMet }
        print()
        for goal in missed { print("missed: \(goal)") }
        if missed.isEmpty { print("all goals met") }
        if !missed.isEmpty, !noGoals { throw ExitCode.failure }
    }
}
