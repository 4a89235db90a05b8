/// The list that a stream of ``FollowEvent`` describes. A value.
package struct FollowedMessages: Sendable, Hashable {
    /// The effect of one event on one message.
    package enum Change: Sendable, Hashable {
        case inserted(MessageDTO)
        case modified(MessageDTO, before: MessageDTO)
        case deleted(MessageDTO)
    }

    /// Oldest first.
    package private(set) var messages: [MessageDTO] = []

    package init() {}

    /// Applies an event to the list. Cost: the length of the list.
    ///
    /// Throws ``ControlError/Code/internalError`` for an event that does not belong to this list, and leaves the list
    /// unchanged.
    ///
    /// - Returns: the deletions, then everything else in list order. A message that moved counts as modified; a change
    ///   of ``FollowEvent/waiting`` alone is not reported.
    @discardableResult
    package mutating func apply(_ event: FollowEvent) throws(ControlError) -> [Change] {
        let gone = Set(event.deleted)
        guard gone.count == event.deleted.count, gone.allSatisfy(messages.indices.contains) else { throw stranger }
        var after: [MessageDTO] = []
        after.reserveCapacity(event.count)
        var kept = messages.enumerated().lazy.filter { !gone.contains($0.offset) }.map(\.element).makeIterator()
        for row in event.inserted {
            while after.count < row.index, let next = kept.next() { after.append(next) }
            guard after.count == row.index else { throw stranger }
            after.append(row.message)
        }
        while let next = kept.next() { after.append(next) }
        guard after.count == event.count else { throw stranger }

        var taken: [MessageDTO.ID: MessageDTO] = [:]
        for index in event.deleted { taken[messages[index].id] = messages[index] }
        var changes: [(index: Int, change: Change)] = []
        for row in event.inserted {
            let before = taken.removeValue(forKey: row.message.id)
            changes.append((row.index, before.map { .modified(row.message, before: $0) } ?? .inserted(row.message)))
        }
        for row in event.modified {
            guard after.indices.contains(row.index) else { throw stranger }
            changes.append((row.index, .modified(row.message, before: after[row.index])))
            after[row.index] = row.message
        }
        for row in event.waiting {
            guard after.indices.contains(row.index) else { throw stranger }
            after[row.index].wait = row.wait
            after[row.index].waitText = row.waitText
        }
        let deleted = event.deleted.map { messages[$0] }.filter { taken[$0.id] != nil }
        messages = after
        return deleted.map { .deleted($0) } + changes.sorted { $0.index < $1.index }.map(\.change)
    }

    private var stranger: ControlError {
        ControlError(.internalError, "the daemon sent a change that contradicts earlier ones")
    }
}

extension MessageDTO: Identifiable {}
