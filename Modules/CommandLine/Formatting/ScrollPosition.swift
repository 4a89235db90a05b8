package import CausewayControlAPI
import CausewayModels

/// The part of the followed messages to which a user has scrolled. A value.
package struct ScrollPosition: Sendable, Hashable {
    /// The number of newest messages below the visible part; at 0 new messages become visible.
    package var below = 0

    package init() {}

    /// Keeps the same messages visible after an event, if the user has scrolled back. Cost: the length of the list.
    ///
    /// - Parameters:
    ///   - before: the list before the event, oldest first.
    ///   - after: the list that the event made of it.
    package mutating func adapt(to event: FollowEvent, _ before: [MessageDTO], _ after: [MessageDTO]) {
        guard below > 0 else { return }
        // A message that moved is among the deleted ones.
        let gone = Set(event.deleted)
        guard let last = before.indices.dropLast(below).last(where: { !gone.contains($0) }),
            let index = after.firstIndex(where: { $0.id == before[last].id })
        else { return }
        below = after.count - 1 - index
    }
}
