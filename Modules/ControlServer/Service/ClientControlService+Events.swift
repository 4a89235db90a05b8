import AsyncAlgorithms
import Causeway
import ServiceLifecycle

extension ClientControlService {
    package func follow(_ query: FollowQuery, _ listener: (FollowEvent) async throws -> Void) async throws {
        try await followers.hold {
            let collection = await client.messages.liveMessages(in: query.channel, pageSize: query.limit)
            try await Self.tell(collection.changes, reasons: { try await reasons(for: $0) }, listener)
        }
    }

    private enum Occasion: Sendable {
        case change(LiveCollectionChange<Message>)
        /// Time to check the wait reasons, which may change without a commit.
        case look
    }

    private static func tell(
        _ changes: LiveChanges<Message>, reasons: ([Message]) async throws -> [MessageID: WaitReason],
        _ listener: (FollowEvent) async throws -> Void
    ) async throws {
        let looks = AsyncTimerSequence.repeating(every: .seconds(ControlLimits.followLookSeconds))
        let occasions = merge(changes.map { Occasion.change($0) }, looks.map { _ in Occasion.look })
        var builder = FollowEventBuilder()
        var silence = 0
        for await occasion in occasions.cancelOnGracefulShutdown() {
            var change: LiveCollectionChange<Message>?
            if case .change(let new) = occasion { change = new }
            let waiting = builder.waiting(after: change)
            var event = builder.event(change, reasons: waiting.isEmpty ? [:] : try await reasons(waiting))
            silence = event == nil ? silence + ControlLimits.followLookSeconds : 0
            if silence >= ControlLimits.followSilenceSecondsMax {
                event = builder.sign()
                silence = 0
            }
            if let event { try await listener(event) }
        }
        try Task.checkCancellation()
    }
}
