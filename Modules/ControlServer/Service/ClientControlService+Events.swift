import AsyncAlgorithms
import Causeway
package import CausewayControlAPI
import ServiceLifecycle
import Synchronization

extension ClientControlService {
    package func follow(_ query: FollowQuery, _ listener: (FollowEvent) async throws -> Void) async throws {
        try await followers.hold {
            let collection = await client.messages.getMessages(in: query.channel, pageSize: query.limit)
            try await Self.tell(
                collection.changes, typing: client.typing(in: query.channel), reasons: { try await reasons(for: $0) },
                listener)
        }
    }

    private enum Occasion: Sendable {
        case change(LiveCollectionChange<Message>)
        /// Time to check the wait reasons, which may change without a commit.
        case look
        case typing([UserID])
    }

    private static func tell(
        _ changes: LiveChanges<Message>, typing: ChannelUsers,
        reasons: ([Message]) async throws -> [MessageID: WaitReason],
        _ listener: (FollowEvent) async throws -> Void
    ) async throws {
        let looks = AsyncTimerSequence.repeating(every: .seconds(ControlServerLimits.followLookSeconds))
        let occasions = merge(
            changes.map { Occasion.change($0) }, looks.map { _ in Occasion.look }, typing.map { Occasion.typing($0) })
        var builder = FollowEventBuilder()
        var silence = 0
        for await occasion in occasions.cancelOnGracefulShutdown() {
            var change: LiveCollectionChange<Message>?
            switch occasion {
            case .change(let new): change = new
            case .typing(let users): builder.note(typing: users)
            case .look: break
            }
            let waiting = builder.waiting(after: change)
            var event = builder.event(change, reasons: waiting.isEmpty ? [:] : try await reasons(waiting))
            silence = event == nil ? silence + ControlServerLimits.followLookSeconds : 0
            if silence >= ControlLimits.followSilenceSecondsMax {
                event = builder.sign()
                silence = 0
            }
            if let event { try await listener(event) }
        }
        try Task.checkCancellation()
    }
}

/// Limits how many callers follow messages at the same time.
final class SubscriberLimiter: Sendable {
    private let taken = Mutex(0)

    /// Holds a slot for as long as `body` runs.
    ///
    /// Throws ``ControlError/Code/busy`` when all slots are in use.
    func hold<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isFree = taken.withLock { taken in
            guard taken < ControlLimits.followersMax else { return false }
            taken += 1
            return true
        }
        guard isFree else {
            throw ControlError(
                .busy, "too many followers (at most \(ControlLimits.followersMax)); end one of them, or try again later"
            )
        }
        defer { taken.withLock { $0 -= 1 } }
        return try await body()
    }
}
