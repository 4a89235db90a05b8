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

    /// As after a push notification: the device has nothing but the id of a message.
    @Test func aMessageIsFoundByItsID() async throws {
        try await TestHub.run { hub in
            let bob = try await hub.client(of: "bob")
            let first = try await bob.messages.createTextMessage("first", in: .sample)
            try await first.delivered()
            let reply = try await bob.messages.createTextMessage("reply", in: .sample, parent: first.id)
            try await reply.delivered()
            // Its events begin after both messages, and no list of the channel is open.
            let ann = try await hub.client(of: "ann")
            let seen = ann.messages.messageChanges(of: reply.id).makeAsyncIterator()
            var last = await seen.next()
            while let change = last, change.loadingStatus != .loaded { last = await seen.next() }
            #expect(last?.snapshot.map(\.text) == ["reply"] && last?.dataStatus == .fresh)
            let parent = try #require(last?.snapshot.first?.parent)
            let above = ann.messages.messageChanges(of: parent).makeAsyncIterator()
            last = await above.next()
            while let change = last, change.loadingStatus != .loaded { last = await above.next() }
            #expect(last?.snapshot.map(\.text) == ["first"] && last?.dataStatus == .fresh)
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
