import Causeway
import CausewayModels
import CausewayTransport
import Synchronization
import Testing

/// Messages that events do not bring are requested, whatever events bring after them.
@MainActor struct MissingEventTests {
    /// The page that would have closed the gap cannot be read before the next message arrives.
    @Test func aGapRemainsAGapUntilAPageClosesIt() throws {
        try EventTests.run(reportsChanges: true) { world, client, list, messages in
            let more = try (4...7).map { try RemoteMessages.placed($0, world) }
            world.transport.server.withLock { server in
                server.pageError = .unreachable(detail: "for a test")
                for message in more.dropLast() { server.post(message) }
                server.log?.limited = [.channel(world.general)]
            }
            await world.pass(.seconds(1))
            world.transport.server.withLock { $0.post(more[3]) }
            await world.pass(.seconds(1))
            #expect(EventTests.numbers(list).contains(7) && list.last?.dataStatus != .fresh)
            world.transport.server.withLock { $0.pageError = nil }
            try await world.until("the list is complete") { EventTests.numbers(list) == [1, 2, 3, 4, 5, 6, 7] }
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
        }
    }

    /// A server that went back loses messages, and gets them again while a page shows that they are gone.
    @Test func whatIsLostAndDeliveredAgainReappears() throws {
        try EventTests.run(reportsChanges: true) { world, client, list, messages in
            world.transport.server.withLock { $0.page = [] }
            _ = try await client.messages.refreshMessages(in: world.general)
            try await world.until("they are gone") { EventTests.numbers(list).isEmpty }
            world.transport.server.withLock { server in
                for (index, message) in messages.enumerated() {
                    let place = ServerPosition(position: Int64(11 + index), acceptedAt: message.createdAt)
                    server.post(
                        RemoteMessage(
                            id: message.id, channel: message.channel, sender: message.sender,
                            content: message.content, createdAt: message.createdAt, serverPosition: place))
                }
            }
            let new = try RemoteMessages.placed(14, world)
            world.transport.server.withLock { $0.post(new) }
            try await world.until("all are there") { EventTests.numbers(list) == [11, 12, 13, 14] }
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
        }
    }
}
