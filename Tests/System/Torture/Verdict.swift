import CausewayModels

/// A violation found at the end of a run.
enum Verdict: Sendable, Hashable {
    /// It was reported as accepted, and is neither on the hub nor in the store.
    case vanished(TortureLine)
    /// It was reported as accepted, and is not on the hub although everything was resent.
    case lost(TortureLine)
    /// It is on the hub more than once.
    case doubled(TortureLine)
    /// It is on the hub under an id that was assigned to another one, or was never offered.
    case foreign(TortureLine)
    /// It is behind a later one of the same sender, and neither was resent.
    case outOfOrder(TortureLine, behind: TortureLine)
    /// It was shown as synced and is not on the hub.
    case notSynced(MessageID)

    /// All violations.
    static func all(_ evidence: Evidence) -> [Verdict] {
        vanished(evidence) + lost(evidence) + doubled(evidence) + foreign(evidence) + outOfOrder(evidence)
            + notSynced(evidence)
    }

    static func vanished(_ evidence: Evidence) -> [Verdict] {
        evidence.accepted.filter { id, _ in
            !evidence.hubBeforeResend.contains(id) && evidence.storeBeforeResend[id].map { $0 == .synced } ?? true
        }.map { .vanished($0.value) }
    }

    static func lost(_ evidence: Evidence) -> [Verdict] {
        let there = Set(evidence.hub.map(\.id))
        return evidence.accepted.filter { !there.contains($0.key) }.map { .lost($0.value) }
    }

    static func doubled(_ evidence: Evidence) -> [Verdict] {
        var lines: Set<TortureLine> = []
        var ids: Set<MessageID> = []
        return evidence.hub.compactMap { placed in
            let isNew = lines.insert(placed.line).inserted
            return ids.insert(placed.id).inserted && isNew ? nil : .doubled(placed.line)
        }
    }

    static func foreign(_ evidence: Evidence) -> [Verdict] {
        evidence.hub.compactMap { placed in
            let isOffered = evidence.offered.contains(placed.line)
            return isOffered && evidence.accepted[placed.id, default: placed.line] == placed.line
                ? nil : .foreign(placed.line)
        }
    }

    static func outOfOrder(_ evidence: Evidence) -> [Verdict] {
        var last: [Int: TortureLine] = [:]
        var found: [Verdict] = []
        for placed in evidence.hub where !evidence.resent.contains(placed.id) {
            if let before = last[placed.line.sender], before.number > placed.line.number {
                found.append(.outOfOrder(placed.line, behind: before))
            } else {
                last[placed.line.sender] = placed.line
            }
        }
        return found
    }

    static func notSynced(_ evidence: Evidence) -> [Verdict] {
        let there = Set(evidence.hub.map(\.id))
        let shown = evidence.shownSynced.union(evidence.store.filter { $0.value == .synced }.keys)
        return shown.subtracting(there).map { .notSynced($0) }
    }
}
