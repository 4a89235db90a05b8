/// The number of events of each kind in random histories: a run without one of them proves nothing about it.
struct Strikes: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case serverGrew, serverDeleted, serverEdited, serverFailed, changesTold, toldByItself
        case ownDelivered, deletedHere, pruned, prunedWhileAsking
        case timePassed, freshnessAdopted
        case readFailed, settlingFailed, commitFailed
        case closedWhileAsking, cancelled, answeredTooLate
        case sessionEnded, accountChanged, accountChangedUnreadably, accountReturned
        /// Limits: reported changes, waiting commits, concurrent requests, pages of a refresh, kept rows.
        case tooManyChanges, inboxOverflowed, questionsWaited, refreshCutShort, rowsLetGo
    }

    private(set) var counts: [Kind: Int] = [:]

    mutating func note(_ kind: Kind, times: Int = 1) { counts[kind, default: 0] += times }

    mutating func add(_ other: Strikes) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// The kinds that never occurred.
    var missing: [Kind] { Kind.allCases.filter { counts[$0, default: 0] == 0 } }
}

extension Strikes: CustomStringConvertible {
    var description: String { Kind.allCases.map { "\($0) \(counts[$0, default: 0])" }.joined(separator: ", ") }
}
