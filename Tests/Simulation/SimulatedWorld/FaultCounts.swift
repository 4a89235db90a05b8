import CausewayModels

/// The counts of a run, or of many: how often each fault struck, and how much was in flight then.
package struct FaultCounts: Sendable {
    package private(set) var struck: [Fault: Int] = [:]
    package private(set) var struckInFlight: [Fault: Int] = [:]
    /// Messages that were in flight when the fault struck, summed over its strikes.
    package private(set) var messagesInFlight: [Fault: Int] = [:]
    package var created = 0
    package var accepted = 0
    package var deleted = 0
    package var resent = 0
    /// Logins of another account than before, and those that left fences or deletions behind that the hub had not
    /// received.
    package private(set) var visits = 0
    package private(set) var visitsInDoubt = 0
    package var steps = 0
    package var seeds = 0
    package var virtualTime: Duration = .zero
    /// The histories of all seeds in one number, independent of their order.
    package var digest: UInt64 = 0

    package init() {}

    mutating func count(_ fault: Fault, inFlight messages: Int) {
        struck[fault, default: 0] += 1
        guard messages > 0 else { return }
        struckInFlight[fault, default: 0] += 1
        messagesInFlight[fault, default: 0] += messages
    }

    mutating func count(visitWith questions: Int) {
        visits += 1
        if questions > 0 { visitsInDoubt += 1 }
    }

    package static func += (left: inout FaultCounts, right: FaultCounts) {
        left.struck.merge(right.struck, uniquingKeysWith: +)
        left.struckInFlight.merge(right.struckInFlight, uniquingKeysWith: +)
        left.messagesInFlight.merge(right.messagesInFlight, uniquingKeysWith: +)
        left.created += right.created
        left.accepted += right.accepted
        left.deleted += right.deleted
        left.resent += right.resent
        left.visits += right.visits
        left.visitsInDoubt += right.visitsInDoubt
        left.steps += right.steps
        left.seeds += right.seeds
        left.virtualTime += right.virtualTime
        left.digest &+= right.digest
    }

    /// Faults that struck too rarely while deliveries were in flight: such a run proves nothing about them.
    package var hardlyStruck: [Fault] {
        Fault.allCases.filter { (struckInFlight[$0] ?? 0) * $0.seedsPerStrikeMax < seeds }
    }

    /// ``digest`` in digits.
    package var histories: String { HistoryHash.told(digest) }

    package var summary: String {
        let days = Int(virtualTime.wholeMilliseconds / 86_400_000)
        return """
            \(created) messages created, \(accepted) accepted, \(deleted) deleted, \(resent) resent
            \(visits) logins of another account, \(visitsInDoubt) of them while questions were open
            \(steps) steps, \(days) days of virtual time, histories \(histories)
            \(table)
            """
    }

    package var table: String {
        Fault.allCases.map { fault in
            let name = fault.rawValue + String(repeating: " ", count: 16 - fault.rawValue.count)
            return "  \(name) struck \(struck[fault] ?? 0) times, \(struckInFlight[fault] ?? 0) with messages under way"
                + " (\(messagesInFlight[fault] ?? 0) messages)"
        }.joined(separator: "\n")
    }
}
