import Causeway
import CausewayTestKit
import Testing

/// The hub for the tests of applications, as such a test uses it.
@Suite(.timeLimit(.minutes(5))) struct TestHubTests {
    @Test func messagesTravelBetweenUsers() async throws {
        try await TestHub.run { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let seen = bob.messages.messageChanges(in: .sample).makeAsyncIterator()
            try await ann.messages.createTextMessage("hi", in: .sample).delivered()
            var last = await seen.next()
            while let change = last, change.snapshot.isEmpty { last = await seen.next() }
            #expect(last?.snapshot.first?.text == "hi" && last?.snapshot.first?.sender.value == "ann")
            let members = await ann.channelMembers.getMembers(of: .sample)
            try await members.refresh()
            #expect(await members.snapshots.map(\.user.value) == ["ann", "bob"])
        }
    }

    @Test func aLinkIsTakenDownAndUp() async throws {
        try await TestHub.run(users: ["ann"], channels: ["one", "two"]) { hub in
            let ann = try await hub.client(of: "ann")
            let two = try #require(ChannelID("two"))
            try await ann.messages.createTextMessage("1", in: two).delivered()
            await hub.disconnect()
            let handle = try await ann.messages.createTextMessage("2", in: two)
            for await status in ann.liveStatus() {
                if case .offline = status.connectivity { break }
            }
            #expect(try await ann.messages.storedMessage(handle.id)?.syncState != .synced)
            await #expect(throws: ClientError.self) { try await ann.messages.refreshMessages(in: two) }
            hub.connect()
            try await handle.delivered()
            // Events, too, go on.
            for await status in ann.liveStatus() where status.events == .upToDate { break }
        }
    }

    @Test func typingTravelsBetweenUsers() async throws {
        try await TestHub.run { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            // A report is dropped until events are followed, and typing ends by itself: it goes on until it is seen.
            let typist = Task {
                while !Task.isCancelled {
                    await ann.setTyping(in: .sample)
                    await Task.yield()
                }
            }
            for await users in bob.typing(in: .sample) where users.map(\.value) == ["ann"] { break }
            typist.cancel()
            await typist.value
            await ann.setTyping(false, in: .sample)
            for await users in bob.typing(in: .sample) where users.isEmpty { break }
        }
    }

    @Test func whatCannotBeStartedIsReported() async throws {
        await #expect(throws: TestHub.Problem.empty) { try await TestHub.run(users: []) { _ in } }
        await #expect(throws: TestHub.Problem.invalidName("a b")) {
            try await TestHub.run(users: ["ann", "a b"]) { _ in }
        }
        try await TestHub.run(users: ["ann"]) { hub in
            await #expect(throws: TestHub.Problem.noSuchUser("eve")) { try await hub.client(of: "eve") }
        }
    }
}
