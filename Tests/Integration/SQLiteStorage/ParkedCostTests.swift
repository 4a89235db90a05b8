import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Testing

/// One parked message costs the others nothing.
struct ParkedCostTests {
    private func reply(_ number: Int, to parent: Int) throws -> MessageDraft {
        var draft = try Sample.draft(number)
        draft.parent = Sample.id(parent)
        draft.lane = .media
        return draft
    }

    /// The number of statements that query for messages parked for another one.
    private func lookUps(_ seen: Statements, since start: Int) -> Int {
        seen.inOrder.dropFirst(start).count { $0.contains("message_dependant") }
    }

    @Test func whatIsDeliveredLooksForParkedMessagesOnlyWhereTheyWaitForIt() async throws {
        let folder = try TemporaryFolder()
        let seen = Statements()
        let path = folder.fresh()
        var store = try await SQLiteStore.open(at: path, durability: .full, options: SQLiteOptions(trace: seen.add))
        _ = try await store.start(Sample.opening())
        for number in 0..<50 { _ = try await store.enqueue(Sample.draft(number)) }
        #expect(try await store.enqueue(reply(100, to: 49)).isParked)

        let serverPosition = ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 2))
        let time = Timestamp(milliseconds: 3)
        var start = seen.inOrder.count
        for number in 0..<25 { try await store.commit([.deliver(Sample.id(number), serverPosition, at: time)]) }
        #expect(lookUps(seen, since: start) == 0)

        // The same after the store was reopened.
        await store.close()
        store = try await SQLiteStore.open(at: path, durability: .full, options: SQLiteOptions(trace: seen.add))
        _ = try await store.start(Sample.opening())
        start = seen.inOrder.count
        for number in 25..<49 { try await store.commit([.deliver(Sample.id(number), serverPosition, at: time)]) }
        #expect(lookUps(seen, since: start) == 0)

        try await store.commit([.deliver(Sample.id(49), serverPosition, at: time)])
        #expect(lookUps(seen, since: start) == 1)
        #expect(try await store.message(Sample.id(100))?.isParked == false)
        start = seen.inOrder.count
        try await store.commit([.merge(placed(49), at: time)])
        #expect(lookUps(seen, since: start) <= 1, "nothing is parked any more")
        await store.close()
    }

    private func placed(_ number: Int) throws -> RemoteMessage {
        let draft = try Sample.draft(number)
        return RemoteMessage(
            id: draft.id, channel: draft.channel, sender: draft.sender, parent: nil,
            body: MessageBody(content: draft.content), createdAt: draft.createdAt,
            serverPosition: ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 2)))
    }
}
