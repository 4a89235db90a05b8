import Foundation

/// Faults of the product that the simulators can see, and do not hold against it until they are repaired.
///
/// Each switches off one judgement or gives one helping hand. With its repair a case goes; when the last one has gone,
/// so does this. `CAUSEWAY_AWAITED` in the environment names those that are to be left on; empty, everything is judged.
package enum AwaitedRepair: String, CaseIterable, Sendable {
    /// An outbox that required action may hold back, in rare orders of events, a message that could leave.
    case attentionIsForgotten
    /// The head of a batch pays more than once for one behind it that kills the process.
    case neighboursPayForKillers

    private static let left: Set<AwaitedRepair> = {
        guard let names = ProcessInfo.processInfo.environment["CAUSEWAY_AWAITED"] else { return Set(allCases) }
        return Set(names.split(separator: ",").compactMap { AwaitedRepair(rawValue: String($0)) })
    }()

    /// True while the fault is there, and is not judged.
    package var isOpen: Bool { Self.left.contains(self) }
}
