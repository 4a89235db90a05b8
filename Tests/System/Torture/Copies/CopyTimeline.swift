import CausewayModels

/// The history of one copy of a store, including the copies that it was taken from, in order.
struct CopyTimeline: Sendable, Hashable {
    /// The messages that were created, in their order.
    private(set) var created: [MessageID] = []
    /// The newest text of those that were edited here.
    private(set) var edited: [MessageID: String] = [:]
    private(set) var deleted: Set<MessageID> = []
    /// Deleted messages that a copy may still deliver.
    private(set) var returning: Set<MessageID> = []

    mutating func create(_ ids: [MessageID]) { created += ids }
    mutating func edit(_ id: MessageID, to text: String) { edited[id] = text }

    mutating func delete(_ id: MessageID, mayReturn: Bool) {
        deleted.insert(id)
        if mayReturn { returning.insert(id) }
    }

    /// Returns an existing message, counted from the newest; `nil` when there are not so many.
    func message(fromNewest index: Int) -> MessageID? {
        let there = created.filter { !deleted.contains($0) }
        return index < there.count ? there[there.count - 1 - index] : nil
    }
}

/// The end of a history of copies.
struct CopyEvidence: Sendable {
    /// A copy that was alive at the end.
    struct Alive: Sendable {
        var timeline: CopyTimeline
        /// The messages that its daemon lists as failed.
        var failed: Set<MessageID>
    }

    /// The text of each message when it was created.
    var texts: [MessageID: String] = [:]
    var alive: [Alive] = []
    /// The timelines of stores that a backup replaced. Some of their messages were never sent, and are gone with them.
    var replaced: [CopyTimeline] = []
    /// The messages on the hub, in its order.
    var hub: [ProcessMessage] = []

    struct ProcessMessage: Sendable, Hashable {
        var id: MessageID
        var text: String
    }
}

/// A violation at the end of such a history.
enum CopyVerdict: Sendable, Hashable {
    /// It was accepted by a copy that still exists, and is not on the hub.
    case lost(MessageID)
    case doubled(String)
    /// It was created by none of the copies.
    case foreign(String)
    /// A copy reports it as failed.
    case failed(MessageID)
    /// A copy created it after the other one, and the hub has it before.
    case outOfOrder(MessageID, before: MessageID)
    /// A copy that still exists deleted it, and it is on the hub.
    case notDeleted(MessageID)
    /// A copy that still exists edited it, and the hub has another text.
    case notEdited(MessageID, says: String)

    /// All violations.
    static func all(_ evidence: CopyEvidence) -> [CopyVerdict] {
        let there = Set(evidence.hub.map(\.id))
        let timelines = evidence.alive.map(\.timeline)
        let deleted = (timelines + evidence.replaced).reduce(into: Set()) { $0.formUnion($1.deleted) }
        let lost = Set(timelines.flatMap(\.created)).subtracting(deleted).subtracting(there).map(CopyVerdict.lost)
        let failed = evidence.alive.reduce(into: Set()) { $0.formUnion($1.failed) }.map(CopyVerdict.failed)
        let notDeleted = timelines.reduce(into: Set()) { $0.formUnion($1.deleted.subtracting($1.returning)) }
            .intersection(there)
            .map(CopyVerdict.notDeleted)
        return lost + failed + notDeleted + doubled(evidence) + outOfOrder(evidence) + texts(evidence)
    }

    private static func doubled(_ evidence: CopyEvidence) -> [CopyVerdict] {
        var ids: Set<MessageID> = []
        return evidence.hub.compactMap { message in
            guard evidence.texts[message.id] != nil else { return .foreign(message.text) }
            return ids.insert(message.id).inserted ? nil : .doubled(message.text)
        }
    }

    private static func outOfOrder(_ evidence: CopyEvidence) -> [CopyVerdict] {
        let places = Dictionary(
            evidence.hub.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        var found: Set<CopyVerdict> = []
        let timelines = evidence.alive.map(\.timeline) + evidence.replaced
        // A message that was deleted in a copy and came back from another is behind those that the first one delivered
        // meanwhile.
        let returned = timelines.reduce(into: Set()) { $0.formUnion($1.returning) }
        for timeline in timelines {
            let placed = timeline.created.filter { places[$0] != nil && !returned.contains($0) }
            for (former, later) in zip(placed, placed.dropFirst())
            where places[later, default: 0] < places[former, default: 0] {
                found.insert(.outOfOrder(later, before: former))
            }
        }
        return Array(found)
    }

    private static func texts(_ evidence: CopyEvidence) -> [CopyVerdict] {
        // A message is edited in one copy only; a copy taken later has that edit, too.
        let kept = evidence.alive.reduce(into: [:]) { $0.merge($1.timeline.edited) { former, _ in former } }
        let gone = evidence.replaced.reduce(into: [MessageID: String]()) { $0.merge($1.edited) { former, _ in former } }
        return evidence.hub.compactMap { message in
            let allowed: Set<String?> =
                if let text = kept[message.id] {
                    [text]
                } else {
                    [evidence.texts[message.id], gone[message.id]]
                }
            return allowed.contains(message.text) ? nil : .notEdited(message.id, says: message.text)
        }
    }
}
