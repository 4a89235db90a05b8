import Causeway
import OwnAdapters
import Samples
import Testing

/// The samples on a client of their own.
@MainActor struct SampleTests {
    private let general: ChannelID
    private let board: BulletinBoard
    private let client: CausewayClient

    init() async throws {
        general = try #require(ChannelID("general"))
        let token = try #require(AccessToken("any-token"))
        let board = BulletinBoard(user: try #require(UserID("ann")), token: token, channel: general)
        var transports = TransportRegistry()
        transports.register("board") { _, token in BoardTransport(to: board, token: token) }
        self.board = board
        client = try await CausewayClient.open(
            store: MemoryStore(), transports: transports, credentials: MemoryCredentialStore())
        try await client.login(server: "board://here", token: token)
    }

    private var texts: [String] {
        board.notes.compactMap { if case .text(let text) = $0.content { text } else { nil } }
    }

    private func until(_ holds: () async throws -> Bool) async rethrows {
        while try await !holds() { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5))) func theEchoBotAnswers() async throws {
        let bot = Task.detached { [client, general] in try await EchoBot(client, in: general).run() }
        let list = client.messages.getMessages(in: general)
        await until { list.dataStatus == .fresh }
        // It answers what arrives after its list is fresh, so it is asked until it does.
        await until {
            _ = try? await client.messages.createTextMessage("echo hello", in: general).delivered()
            return texts.contains("hello")
        }
        await client.close()
        try await bot.value
    }

    @Test(.timeLimit(.minutes(5))) func theFailureBotDeletesWhatIsRefused() async throws {
        let bot = Task.detached { [client] in try await FailureBot(client).run() }
        let nowhere = try #require(ChannelID("nowhere"))
        let refused = try await client.messages.createTextMessage("hi", in: nowhere)
        try await until { try await client.messages.storedMessage(refused.id) == nil }
        #expect(try await client.messages.failedMessages().messages.isEmpty)
        await client.close()
        try await bot.value
    }

    @Test(.timeLimit(.minutes(5))) func theConversationShowsPages() async throws {
        for number in 1...5 {
            try await client.messages.createTextMessage("\(number)", in: general).delivered()
        }
        let model = await ConversationModel(client, in: general, pageSize: 2)
        #expect(model.rows.map(\.text) == ["4", "5"])
        #expect(try await model.loadOlder() == 2)
        #expect(model.rows.map(\.text) == ["2", "3", "4", "5"])
        try await model.pullToRefresh()
        try await model.loadOlder()
        #expect(model.rows.map(\.text) == ["1", "2", "3", "4", "5"] && !model.hasOlder)
        #expect(model.errorText == nil && model.rows.allSatisfy { $0.state == .synced })
        await client.close()
    }
}
