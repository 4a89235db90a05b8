import CausewayModels
import CausewayStorage
import Testing

/// Responses to operations arrive in any order, with pages between them: the last requested change is displayed.
@Suite struct OperationOrderTests {
    private static let target = MessageID(UUIDv7(high: 7, low: 1))

    private static func message() throws -> Message {
        Message(
            id: target, channel: try #require(ChannelID("general")), sender: try #require(UserID("ann")),
            displayed: MessageBody(content: .text("said")),
            createdAt: Timestamp(milliseconds: 1), ordinal: 1, lane: .text, laneSequence: 1, syncState: .synced,
            serverPosition: taken(at: 1))
    }

    /// The operation with this sequence in its lane.
    private static func operation(_ sequence: Int64, _ payload: OperationPayload) throws
        -> QueuedOperation
    {
        QueuedOperation(
            id: MessageID(UUIDv7(high: 8, low: UInt64(sequence))),
            channel: try #require(ChannelID("general")),
            sender: try #require(UserID("ann")), payload: payload,
            createdAt: Timestamp(milliseconds: sequence),
            ordinal: sequence,
            delivery: DeliveryProgress(
                lane: .operations, laneSequence: sequence, queuedAt: Timestamp(milliseconds: sequence)))
    }

    private static func taken(at time: Int64) -> ServerPosition {
        ServerPosition(position: time, acceptedAt: Timestamp(milliseconds: time))
    }

    private static func page(_ text: String, _ reactions: Set<String>, changedAt: Int64) throws -> RemoteMessage {
        let body = MessageBody(
            content: .text(text), changedAt: Timestamp(milliseconds: changedAt),
            reactions: Dictionary(uniqueKeysWithValues: reactions.map { ($0, 1) }), myReactions: reactions)
        return RemoteMessage(
            id: target, channel: try #require(ChannelID("general")), sender: try #require(UserID("ann")), body: body,
            createdAt: Timestamp(milliseconds: 1),
            serverPosition: taken(at: 1))
    }

    /// The response to the first was lost; the one to the second arrived.
    @Test func anOperationInDoubtHidesNoneThatWasWantedLater() throws {
        let away = try Self.operation(2, .removeReaction(Self.target, name: "wave"))
        let again = try Self.operation(3, .addReaction(Self.target, name: "wave"))
        let wrong = try Self.operation(4, .edit(Self.target, .text("wrong")))
        let right = try Self.operation(5, .edit(Self.target, .text("right")))
        let both = try Self.message().overlaid(with: [away, again, wrong, right])
        #expect(both.myReactions == ["wave"])
        let between = both.taken(again, Self.taken(at: 30)).taken(right, Self.taken(at: 40))
            .overlaid(with: [away, wrong])
        #expect(between.myReactions == ["wave"])
        #expect(between.content == .text("right"))
        let settled = between.taken(away, Self.taken(at: 20)).taken(wrong, Self.taken(at: 35)).overlaid(with: [])
        #expect(settled.myReactions == ["wave"])
        #expect(settled.content == .text("right"))
        #expect(settled.displayed.clock.isEmpty)
    }

    /// Another device removed the reaction; this one learns that before the response to its own operation.
    @Test func aLateAnswerBringsNothingBackThatThePageKnew() throws {
        let mine = try Self.operation(2, .addReaction(Self.target, name: "wave"))
        let read = try Self.message().overlaid(with: [mine])
            .merged(with: try Self.page("said", [], changedAt: 30), at: Timestamp(milliseconds: 50))
        #expect(read.taken(mine, Self.taken(at: 20)).overlaid(with: []).myReactions == [])
        #expect(read.taken(mine, Self.taken(at: 40)).overlaid(with: []).myReactions == ["wave"])
    }

    /// Resent after it had failed, it was requested later than the operations in between.
    @Test func whatIsSentAgainShowsAgain() throws {
        let away = try Self.operation(2, .removeReaction(Self.target, name: "wave"))
        let again = try Self.operation(3, .addReaction(Self.target, name: "wave"))
        let done = try Self.message().overlaid(with: [away, again]).taken(again, Self.taken(at: 30))
        let resent = away.resent(sequence: 4, at: Timestamp(milliseconds: 60))
        #expect(done.overlaid(with: [away]).myReactions == ["wave"])
        #expect(done.overlaid(with: [resent]).myReactions == [])
    }
}
