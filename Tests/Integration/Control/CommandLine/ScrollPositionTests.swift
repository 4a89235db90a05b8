import Causeway
import CausewayCommandLine
import CausewayControlAPI
import Testing

/// The followed messages that remain visible to a user who has scrolled back.
@Suite struct ScrollPositionTests {
    /// Ten messages, of which the user sees those up to `5`.
    private struct View {
        var followed = FollowedMessages()
        var position = ScrollPosition()

        init() throws {
            try apply(inserted: Array(0..<10))
            position.below = 4
        }

        mutating func moveToTheEnd(_ index: Int) throws {
            let before = followed.messages
            var event = FollowEvent(
                version: 1, count: before.count, dataStatus: "fresh", loadingStatus: "loaded", problem: nil)
            event.deleted = [index]
            event.inserted = [FollowEvent.Row(index: before.count - 1, message: before[index])]
            try followed.apply(event)
            position.adapt(to: event, before, followed.messages)
        }

        mutating func apply(deleted: [Int] = [], inserted: [Int]) throws {
            let before = followed.messages
            var event = FollowEvent(
                version: 1, count: before.count - deleted.count + inserted.count, dataStatus: "fresh",
                loadingStatus: "loaded", problem: nil)
            event.deleted = deleted
            event.inserted = try inserted.enumerated().map { number, index in
                FollowEvent.Row(index: index, message: try message(before.isEmpty ? "\(index)" : "new \(number)"))
            }
            try followed.apply(event)
            position.adapt(to: event, before, followed.messages)
        }

        private func message(_ text: String) throws -> MessageDTO {
            MessageDTO(
                Message(
                    id: MessageID(SystemRuntime().makeUUIDv7()), channel: try #require(ChannelID("general")),
                    sender: try #require(UserID("ann")), content: .text(text),
                    createdAt: Timestamp(milliseconds: 1000), ordinal: 1, lane: nil, laneSequence: 0,
                    syncState: .synced))
        }

        /// The text of the last visible message.
        var lastSeen: String? { followed.messages.dropLast(position.below).last?.text }
    }

    @Test func newerMessagesStayBelow() throws {
        var view = try View()
        try view.apply(inserted: [10, 11])
        #expect(view.lastSeen == "5")
        #expect(view.position.below == 6)
    }

    @Test func changesAboveMoveNothing() throws {
        var view = try View()
        try view.apply(inserted: [0, 1, 2])
        #expect(view.lastSeen == "5")
        #expect(view.position.below == 4)
        try view.apply(deleted: [1, 2], inserted: [])
        #expect(view.lastSeen == "5")
        #expect(view.position.below == 4)
    }

    @Test func changesBelowAreCounted() throws {
        var view = try View()
        try view.apply(deleted: [8], inserted: [6])
        #expect(view.lastSeen == "5")
        #expect(view.position.below == 4)
        try view.apply(deleted: [6, 7, 8, 9], inserted: [])
        #expect(view.lastSeen == "5")
        #expect(view.position.below == 0)
    }

    @Test func theOneBeforeTakesThePlaceOfADeletedMessage() throws {
        var view = try View()
        try view.apply(deleted: [5], inserted: [])
        #expect(view.lastSeen == "4")
        #expect(view.position.below == 4)
    }

    @Test func theOneBeforeTakesThePlaceOfAMovedMessage() throws {
        var view = try View()
        try view.moveToTheEnd(5)
        #expect(view.lastSeen == "4")
        #expect(view.position.below == 5)
    }

    @Test func whoHasNotScrolledSeesTheNewestMessage() throws {
        var view = try View()
        view.position.below = 0
        try view.apply(inserted: [10])
        #expect(view.lastSeen == "new 0")
        try view.apply(deleted: Array(0..<11), inserted: [])
        #expect(view.position.below == 0)
    }
}
