import CausewayModels
import CausewayStorage
import Foundation

/// The parts of `ARCHITECTURE.md` that are drawn from the states and their table.
enum StateDocument {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let path = root.appendingPathComponent("ARCHITECTURE.md").path
    static let readme = root.appendingPathComponent("README.md").path
    /// The document with its parts redrawn; `nil` if the marks that enclose them are missing.
    static func redrawn(_ document: String) -> String? {
        let parts = [("transitions", diagram + "\n" + table), ("projections", projections)]
        return parts.reduce(document) { document, part in
            guard let document, let from = document.range(of: "<!-- \(part.0) of SyncState -->\n"),
                let to = document.range(of: "<!-- end of \(part.0) -->\n"), from.upperBound <= to.lowerBound
            else { return nil }
            return document.replacingCharacters(in: from.upperBound..<to.lowerBound, with: part.1)
        }
    }

    /// One arrow for each pair of states, with the steps that lead from one to the other.
    private static var diagram: String {
        var lines = ["```mermaid", "stateDiagram-v2", "    direction LR", "    [*] --> created: create"]
        for state in SyncState.allCases {
            for next in SyncState.allCases where next != state {
                let steps = MessageStep.allCases.filter { SyncState.transitions[state]?[$0] == next }
                guard !steps.isEmpty else { continue }
                lines.append("    \(state) --> \(next): \(steps.map(\.rawValue).joined(separator: ", "))")
            }
        }
        lines += SyncState.allCases.map { "    \($0) --> [*]: delete" }
        return (lines + ["```", ""]).joined(separator: "\n")
    }

    private static var table: String {
        let states = SyncState.allCases
        var lines = ["| step | " + states.map { "from " + $0.rawValue }.joined(separator: " | ") + " |"]
        lines.append("| --- |" + String(repeating: " --- |", count: states.count))
        for step in MessageStep.allCases {
            let cells = states.map { state -> String in
                guard let next = state.after(step) else { return "gone" }
                return next == state ? "·" : next.rawValue
            }
            lines.append("| \(step.rawValue) | " + cells.joined(separator: " | ") + " |")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// The name of each state on the platforms, in the order in which a message passes through them.
    static var projections: String {
        let situations: [(String, SyncState)] = [
            ("waiting in the queue", .created), ("being delivered", .syncing), ("attachment on its way", .uploading),
            ("on the server", .synced), ("failed", .error),
        ]
        var lines = ["| situation | canonical | iOS | Android | TypeScript | classic |"]
        lines.append("| --- | --- | --- | --- | --- | --- |")
        lines += situations.map { words, state in
            let names = [
                words, state.rawValue, state.ios.rawValue, state.android.rawValue, state.typescript.rawValue,
                state.classic.rawValue,
            ]
            return "| " + names.joined(separator: " | ") + " |"
        }
        return (lines + [""]).joined(separator: "\n")
    }
}
