import Causeway
import CausewayTestKit
import Samples
import Testing

/// The samples with the kit for tests: constant lists, and a real hub in this process.
@MainActor struct KitTests {
    @Test(.timeLimit(.minutes(5))) func theModelShowsAConstantList() async throws {
        let failure = Failure(reason: .refused, code: "muted", detail: "you are muted", at: .init(milliseconds: 1))
        let model = await ConversationModel(
            .constant([.sample("hi"), .sample("hello", state: .error, failure: failure)], .loading))
        #expect(model.rows.map(\.text) == ["hi", "hello"] && model.rows.last?.state == .error)
        #expect(model.isLoading && !model.hasOlder)
        let failed = await ConversationModel(.constant([], .failed(ClientError.noSession)))
        while failed.errorText == nil, !Task.isCancelled { await Task.yield() }
        #expect(failed.errorText == ClientError.noSession.localizedDescription)
    }

    @Test(.timeLimit(.minutes(5))) func theEchoBotAnswersAnotherUser() async throws {
        try await TestHub.run(users: ["ann", "bot"]) { @MainActor hub in
            let (ann, client) = (try await hub.client(of: "ann"), try await hub.client(of: "bot"))
            let bot = Task.detached { try await EchoBot(client, in: .sample).run() }
            let model = await ConversationModel(ann, in: .sample)
            // It answers what arrives after its first fresh list, so it is asked until it does.
            while !model.rows.map(\.text).contains("hello"), !Task.isCancelled {
                try await ann.messages.createTextMessage("echo hello", in: .sample).delivered()
                await Task.yield()
            }
            await client.close()
            try await bot.value
        }
    }
}
