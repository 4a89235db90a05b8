import ArgumentParser
import Foundation

/// Measures and prints; `Tools/bench/run` builds it, prepares its input, and runs it.
@main struct CausewayBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-bench", abstract: "Measure, each figure beside something to compare it with.",
        subcommands: [
            OutboxBench.self, StoreBench.self, LiveBench.self, NetworkBench.self, SingleMessageBench.self,
            MediaBench.self, OpenStore.self,
        ])

    /// Reports progress on standard error.
    static func progress(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("bench: \(text)\n".utf8))
    }

    /// Lists the goals that were missed, and fails when there are any.
    static func judge(_ goals: [Goal], noGoals: Bool) throws {
        let missed = goals.filter { !$0.isMet }
        print()
        for goal in missed { print("missed: \(goal)") }
        if missed.isEmpty { print("all goals met") }
        if !missed.isEmpty, !noGoals { throw ExitCode.failure }
    }
}
