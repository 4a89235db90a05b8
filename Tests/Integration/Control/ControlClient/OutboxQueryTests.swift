import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayScriptedWorld
import Testing

/// The outbox by channel, by state, and from either end.
@Suite struct OutboxQueryTests {
    private let general: ChannelID
    private let random: ChannelID

    init() throws {
        general = try #require(ChannelID("general"))
        random = try #require(ChannelID("random"))
    }

    private func pages(_ client: ControlClient, _ query: OutboxQuery, limit: Int) async throws -> [MessageID] {
        var query = query
        query.range = PageRange(limit: limit)
        var found: [MessageID] = []
        while true {
            let page = try await client.outbox(query)
            #expect(page.messages.count <= limit)
            found += page.messages.map(\.id)
            guard let next = page.next else { return found }
            query.range.after = next
        }
    }

    @Test func everyPartInEitherOrderByPagesOfAnySize() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.refusing(code: "no", detail: "no"))
            let failed = try await world.client.send([
                OutgoingMessage(channel: general, text: "f1"), OutgoingMessage(channel: random, text: "f2"),
            ]).ids
            for id in failed { _ = try await world.result(of: id) }
            try await world.client.setPaused(true)
            let waiting = try await world.client.send(
                (0..<7).map { OutgoingMessage(channel: $0.isMultiple(of: 3) ? random : general, text: "w\($0)") }
            ).ids
            let inRandom = [waiting[0], waiting[3], waiting[6]]
            let inGeneral = waiting.filter { !inRandom.contains($0) }
            let parts: [(OutboxQuery, [MessageID])] = [
                (OutboxQuery(), failed + waiting),
                (OutboxQuery(channel: random), [failed[1]] + inRandom),
                (OutboxQuery(state: .created), waiting), (OutboxQuery(state: .error), failed),
                (OutboxQuery(state: .syncing), []), (OutboxQuery(state: .uploading), []),
                (OutboxQuery(channel: general, state: .created), inGeneral),
                (OutboxQuery(channel: general, state: .error), [failed[0]]),
                (OutboxQuery(channel: random, state: .syncing), []),
                (OutboxQuery(channel: ChannelID("empty")), []),
            ]
            for (query, ids) in parts {
                for limit in [1, 2, 50] {
                    var query = query
                    #expect(try await pages(world.client, query, limit: limit) == ids, "\(query)")
                    query.newestFirst = true
                    #expect(try await pages(world.client, query, limit: limit) == ids.reversed(), "\(query)")
                }
            }
            #expect(try await world.client.outbox(PageRange()).messages.map(\.id) == failed + waiting)
        }
    }

    @Test(arguments: ["state=synced", "state=lost", "order=sideways", "channel=a%20b", "after=x", "limit=many"])
    func whatCannotBeAskedIsRefused(query: String) async throws {
        try await ControlWorld.run { world in
            let request = "GET /v1/outbox?\(query) HTTP/1.1\r\nHost: causeway\r\n\r\n"
            let answer = try await RawRequest.send(Array(request.utf8), to: world.socketPath)
            #expect(answer.status == 400)
            #expect(answer.problem?.code == "badRequest")
        }
    }
}
