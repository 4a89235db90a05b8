package import Causeway
import Synchronization

/// A server in this process with one member and one channel: a list of notes, and for each lane the last sequence that
/// it has dealt with.
package final class BulletinBoard: Board {
    fileprivate struct Lane: Hashable {
        var outbox: OutboxID
        var lane: LaneID
    }

    fileprivate struct State {
        var notes: [RemoteMessage] = []
        var marks: [Lane: Int64] = [:]
    }

    private let user: UserID
    private let token: AccessToken
    private let channel: ChannelID
    private let state = Mutex(State())

    package init(user: UserID, token: AccessToken, channel: ChannelID) {
        (self.user, self.token, self.channel) = (user, token, channel)
    }

    package var notes: [RemoteMessage] { state.withLock { $0.notes } }

    package func member(_ token: AccessToken) throws -> UserID {
        guard token == self.token else { throw BoardError.notAMember }
        return user
    }

    package func position(of id: MessageID, for token: AccessToken) throws -> ServerPosition? {
        _ = try member(token)
        return notes.first { $0.id == id }?.serverPosition
    }

    /// The newest notes of a channel, or those before or after a position.
    package func page(_ query: RemoteQuery, for token: AccessToken) throws -> RemotePage {
        _ = try member(token)
        guard query.channel == channel else { throw BoardError.noChannel }
        let all = notes
        switch query.range {
        case .newest: return RemotePage(items: all.suffix(query.limit), hasMore: all.count > query.limit)
        case .before(let position):
            let found = all.filter { $0.serverPosition.position < position }
            return RemotePage(items: found.suffix(query.limit), hasMore: found.count > query.limit)
        case .after(let position):
            let found = all.filter { $0.serverPosition.position > position }
            return RemotePage(items: Array(found.prefix(query.limit)), hasMore: found.count > query.limit)
        }
    }

    /// Applies the operations in order, and stops at the first one whose predecessor is missing.
    package func apply(_ delivery: Delivery, from token: AccessToken) throws -> DeliveryReport {
        let user = try member(token)
        let lane = Lane(outbox: delivery.outbox, lane: delivery.lane)
        return state.withLock { state in
            var mark = state.marks[lane] ?? 0
            var outcomes: [DeliveryOutcome] = []
            for operation in delivery.operations {
                if case .gap = outcomes.last { break }
                outcomes.append(state.apply(operation, &mark, user, channel))
            }
            state.marks[lane] = mark
            outcomes += delivery.operations.dropFirst(outcomes.count).map { _ in .notAttempted }
            return DeliveryReport(mark: mark, outcomes: outcomes)
        }
    }
}

extension BulletinBoard.State {
    fileprivate mutating func apply(
        _ operation: DeliveryOperation, _ mark: inout Int64, _ user: UserID, _ ownChannel: ChannelID
    ) -> DeliveryOutcome {
        if case .send(let id, channel: _, content: _, createdAt: _, parent: _, tags: _) = operation.body,
            let known = notes.first(where: { $0.id == id })
        {
            return .accepted(known.serverPosition)
        }
        guard operation.sequence > mark else { return .late(mark: mark) }
        guard operation.previous == mark else { return .gap(mark: mark) }
        mark = operation.sequence
        switch operation.body {
        case .send(_, let channel, _, _, _, _) where channel != ownChannel:
            return .refused(code: "noChannel", detail: "the board has no such channel")
        case .send(let id, let channel, let content, let createdAt, let parent, let tags):
            let now = Timestamp(milliseconds: createdAt.milliseconds)
            let position = ServerPosition(position: (notes.last?.serverPosition.position ?? 0) + 1, acceptedAt: now)
            notes.append(
                RemoteMessage(
                    id: id, channel: channel, sender: user, parent: parent,
                    body: MessageBody(content: content, tags: tags), createdAt: createdAt, serverPosition: position))
            return .accepted(position)
        case .fence(let id):
            return notes.first { $0.id == id }.map { .accepted($0.serverPosition) } ?? .fenced
        case .delete(let id):
            notes.removeAll { $0.id == id }
            return .deleted
        case .edit, .addReaction, .removeReaction:
            return .refused(code: "notSupported", detail: "notes on the board do not change")
        case .write:
            return .refused(code: "notSupported", detail: "the board has no records")
        }
    }
}
