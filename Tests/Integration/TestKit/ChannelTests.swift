import Causeway
import CausewayTestKit
import Testing

/// Threads and roles of a channel, with the real hub.
@Suite(.timeLimit(.minutes(5))) struct ChannelTests {
    /// Reads changes until `holds` does.
    private func wait<Record>(
        _ reader: LiveChanges<Record>.AsyncIterator, _ holds: (LiveCollectionChange<Record>) -> Bool
    ) async -> LiveCollectionChange<Record>? {
        while let change = await reader.next() {
            if holds(change) { return change }
        }
        return nil
    }

    @Test func aThreadShowsTheRepliesOfAll() async throws {
        try await TestHub.run { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let first = try await ann.messages.createTextMessage("first", in: .sample)
            try await first.delivered()
            try await bob.messages.createCustomMessage(["poll": 1], in: .sample, parent: first.id).delivered()
            try await ann.messages.createTextMessage("second", in: .sample).delivered()
            let thread = ann.messages.messageChanges(
                options: MessageQueryOptions(
                    channel: .sample, sort: .firstCreated, messageParentFilter: .parent(first.id)))
            let polls = ann.messages.messageChanges(options: MessageQueryOptions(channel: .sample, type: .custom))
            let topics = bob.messages.messageChanges(
                options: MessageQueryOptions(channel: .sample, sort: .firstCreated, messageParentFilter: .noParent))
            let replies = thread.makeAsyncIterator()
            _ = await wait(replies) { $0.dataStatus == .fresh && $0.snapshot.count == 1 }
            try await bob.messages.createTextMessage("reply", in: .sample, parent: first.id).delivered()
            let all = await wait(replies) { $0.snapshot.count == 2 }
            #expect(all?.snapshot.map(\.type) == [.custom, .text] && all?.insertions == [1])
            let poll = await wait(polls.makeAsyncIterator()) { $0.dataStatus == .fresh }
            #expect(poll?.snapshot.map(\.type) == [.custom])
            let shown = await wait(topics.makeAsyncIterator()) { $0.dataStatus == .fresh }
            #expect(shown?.snapshot.map(\.text) == ["first", "second"])
        }
    }

    /// Tags reach other devices in pages and in events, and stay through an edit.
    @Test func tagsChooseTheMessagesOfAll() async throws {
        try await TestHub.run { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let first = try await ann.messages.createTextMessage("1", in: .sample, tags: ["b", "a", "b"])
            try await first.delivered()
            try await ann.messages.createCustomMessage(["n": 2], in: .sample, parent: first.id, tags: ["b"]).delivered()
            try await ann.messages.createTextMessage("3", in: .sample).delivered()
            let options = { (including: Set<String>, excluding: Set<String>) in
                MessageQueryOptions(
                    channel: .sample, sort: .firstCreated, includingTags: including, excludingTags: excluding)
            }
            let included = bob.messages.messageChanges(options: options(["a"], [])).makeAsyncIterator()
            let excluded = bob.messages.messageChanges(options: options([], ["b"])).makeAsyncIterator()
            let fresh = await wait(included) { $0.dataStatus == .fresh }
            #expect(fresh?.snapshot.map(\.tags) == [["b", "a"]])
            let others = await wait(excluded) { $0.dataStatus == .fresh }
            #expect(others?.snapshot.map(\.text) == ["3"])
            try await ann.messages.editTextMessage(first.id, to: "edited")
            try await ann.messages.createTextMessage("4", in: .sample, tags: ["a"]).delivered()
            let all = await wait(included) { $0.snapshot.count == 2 && $0.snapshot.first?.text == "edited" }
            #expect(all?.snapshot.map(\.tags) == [["b", "a"], ["a"]])
            #expect(try await ann.messages.storedMessage(first.id)?.tags == ["b", "a"])
        }
    }

    /// The first user of a test hub owns its channel, the second one is a member.
    @Test func anOwnerDeletesTheMessagesOfOthers() async throws {
        try await TestHub.run { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let own = try await ann.messages.createTextMessage("1", in: .sample)
            let others = try await bob.messages.createTextMessage("2", in: .sample)
            try await own.delivered()
            try await others.delivered()
            let (seenByAnn, seenByBob) = (
                ann.messages.messageChanges(in: .sample).makeAsyncIterator(),
                bob.messages.messageChanges(in: .sample).makeAsyncIterator()
            )
            _ = await wait(seenByAnn) { $0.snapshot.count == 2 }
            _ = await wait(seenByBob) { $0.snapshot.count == 2 }
            await #expect(throws: ClientError.notAuthor(own.id)) { try await bob.messages.softDeleteMessage(own.id) }
            try await ann.messages.softDeleteMessage(others.id)
            let left = await wait(seenByBob) { $0.snapshot.count == 1 }
            #expect(left?.snapshot.map(\.id) == [own.id])
            #expect(try await bob.messages.storedMessage(others.id) == nil)
        }
    }

    /// In lists that include them, on the device that deletes a message, on another one that follows, and on one that
    /// begins later; pages of one row lead through them.
    @Test func deletedMessagesKeepTheirPlaces() async throws {
        try await TestHub.run(users: ["ann", "bob", "carla"]) { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let own = try await ann.messages.createTextMessage("1", in: .sample)
            try await own.delivered()
            let others = try await bob.messages.createTextMessage("2", in: .sample, parent: own.id)
            try await others.delivered()
            try await ann.messages.createTextMessage("3", in: .sample).delivered()
            let options = MessageQueryOptions(channel: .sample, sort: .firstCreated, includeDeleted: true)
            let (seenByAnn, seenByBob) = (
                ann.messages.messageChanges(options: options).makeAsyncIterator(),
                bob.messages.messageChanges(options: options).makeAsyncIterator()
            )
            _ = await wait(seenByAnn) { $0.dataStatus == .fresh && $0.snapshot.count == 3 }
            _ = await wait(seenByBob) { $0.dataStatus == .fresh && $0.snapshot.count == 3 }
            try await ann.messages.softDeleteMessage(others.id)
            let here = await wait(seenByAnn) { $0.snapshot.contains(where: \.isDeleted) }
            #expect(here?.snapshot.map(\.isDeleted) == [false, true, false] && here?.modifications == [1])
            let there = await wait(seenByBob) { $0.snapshot.contains { $0.deletedAt != nil } }
            #expect(there?.snapshot.map(\.isDeleted) == [false, true, false] && there?.deletions == [])
            _ = await wait(seenByAnn) { $0.snapshot.contains { $0.deletedAt != nil } }
            let carla = try await hub.client(of: "carla")
            let paged = carla.messages.messageChanges(
                options: MessageQueryOptions(
                    channel: .sample, sort: .lastCreated, pageSize: 1, includeDeleted: true))
            let later = paged.makeAsyncIterator()
            _ = await wait(later) { $0.dataStatus == .fresh && $0.snapshot.count == 1 }
            for count in [2, 3] {
                try await paged.nextPage()
                _ = await wait(later) { $0.snapshot.count == count && $0.dataStatus == .fresh }
            }
            let all = await carla.messages.messageChanges(options: options).makeAsyncIterator().next()
            let left = try #require(all?.snapshot.first { $0.isDeleted })
            #expect(all?.snapshot.count == 3 && left.id == others.id && left.sender == UserID("bob"))
            #expect(left.content == .text("") && left.parent == own.id && left.deletedAt != nil)
            #expect(left.serverPosition?.position == 2)
        }
    }

    /// The role is not stored, and the server cannot be asked: nothing is deleted.
    @Test func withoutARoleTheServerDecides() async throws {
        try await TestHub.run { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let others = try await bob.messages.createTextMessage("2", in: .sample)
            try await others.delivered()
            let seen = ann.messages.messageChanges(in: .sample).makeAsyncIterator()
            _ = await wait(seen) { $0.snapshot.count == 1 }
            await hub.disconnect()
            let error = await #expect(throws: ClientError.self) {
                try await ann.messages.softDeleteMessage(others.id)
            }
            #expect(error?.code == .transport)
            #expect(try await ann.messages.storedMessage(others.id) != nil)
            hub.connect()
            try await ann.messages.softDeleteMessage(others.id)
            _ = await wait(seen) { $0.snapshot.isEmpty }
        }
    }
}
