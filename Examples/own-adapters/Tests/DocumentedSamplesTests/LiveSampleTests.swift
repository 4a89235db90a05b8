import Causeway
import CausewayTestKit
import DocumentedSamples
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct LiveSampleTests {
    @Test func aMessageIsObserved() async throws {
        try await TestHub.run { @MainActor hub in
            let ann = try await hub.client(of: "ann")
            let message = try await ann.messages.createTextMessage("Hi", in: .sample)
            let (samples, once) = (LiveSamples(ann), LiveSamples(ann))
            var (shown, shownOnce): ([Message], [Message]) = ([], [])
            samples.observeMessage(message.id, show: { shown.append($0) }, report: { Issue.record($0) })
            once.observeMessageOnce(message.id) { shownOnce.append($0) }
            await until { shown.last?.syncState == .synced && !shownOnce.isEmpty }
            try await MessageSamples(ann).edit(message.id)
            await until { shown.last?.text == "Hello!" }
            #expect(shownOnce.map(\.text) == ["Hi"])
            samples.stop()
            let count = shown.count
            try await MessageSamples(ann).delete(message.id)
            #expect(shown.count == count)
        }
    }

    @Test func aTableFollowsTheChanges() async throws {
        try await TestHub.run { @MainActor hub in
            let ann = try await hub.client(of: "ann")
            let (whole, animated) = (LiveSamples(ann), LiveSamples(ann))
            var (all, rows): ([Message], [Message]) = ([], [])
            whole.observeMessages(in: .sample) { all = $0 }
            animated.observeChanges(
                in: .sample, delete: { rows.remove(at: $0) }, insert: { rows.insert($1, at: $0) },
                reload: { rows[$0] = $1 })
            var ids: [MessageID] = []
            for text in ["1", "2", "3"] { ids.append(try await ann.messages.createTextMessage(text, in: .sample).id) }
            try await ann.messages.softDeleteMessage(ids[1])
            await until { all.map(\.id) == [ids[0], ids[2]] && all.allSatisfy { $0.syncState == .synced } }
            await until { rows == all }
        }
    }

    @Test func pagesAreLoaded() async throws {
        try await TestHub.run { @MainActor hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            for number in 1...5 { try await ann.messages.createTextMessage("\(number)", in: .sample).delivered() }
            // A list grows with messages that arrive after its first page, so they have all arrived before.
            let all = QuerySamples(bob, in: .sample).newestFirst()
            await until { all.count == 5 && all.dataStatus == .fresh }
            let pages = PageSamples(bob, in: .sample, pageSize: 2)
            // There is no next page before the server has responded.
            await until { pages.texts == ["5", "4"] && !pages.isLoading }
            pages.scrolledToEnd()
            await until { pages.texts.count == 4 && !pages.isLoading }
            #expect(try await pages.loadNext() == 1)
            #expect(pages.texts == ["5", "4", "3", "2", "1"])
            pages.reset()
            await until { pages.texts == ["5", "4"] }
            #expect(try await showOlderMessages(bob, in: .sample) == ["1", "2", "3", "4", "5"])
        }
    }
}

/// Waits for a condition; no longer than until the time limit of the test, which cancels it.
@MainActor
func until(_ holds: () throws -> Bool) async rethrows {
    while try !holds(), !Task.isCancelled { await Task.yield() }
}
