import Causeway
import CausewayFileStorage
import CausewayTestKit
import DocumentedSamples
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct MessageSampleTests {
    @Test func messagesAreCreated() async throws {
        try await TestHub.run { @MainActor hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let samples = CreationSamples(ann, in: .sample)
            #expect(try await samples.sendText().position == 1)
            let first: Message = try await withCheckedThrowingContinuation { continuation in
                _ = samples.sendText { continuation.resume(with: $0) }
            }
            #expect(first.text == "Hi!" && first.syncState == .synced && MessageSamples.mark(of: first) == "✓")
            let place = CreationSamples.Location(latitude: 1.5, longitude: 2)
            for handle in [
                try await samples.reply(to: first.id), try await samples.sendCustom(),
                try await samples.sendLocation(place),
            ] {
                try await handle.delivered()
            }
            let list = QuerySamples(bob, in: .sample).newestFirst()
            await until { list.count == 5 }
            #expect(try list.object(at: 0)?.data(as: CreationSamples.Location.self) == place)
            #expect(list.object(at: 1)?.data?["kind"]?.string == "poll")
            #expect(list.object(at: 2)?.parent == first.id && list.object(at: 4)?.tags == ["greeting"])
        }
    }

    @Test func anImageIsSent() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/documented-samples-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
        let path = folder + "/pixel.png"
        try #require(Data(base64Encoded: pixel)).write(to: URL(fileURLWithPath: path))
        try await TestHub.run { @MainActor hub in
            let store = try await FileStore.open(at: folder + "/store", durability: .normal)
            let (ann, bob) = (try await hub.client(of: "ann", on: store), try await hub.client(of: "bob"))
            let message: Message = try await withCheckedThrowingContinuation { continuation in
                _ = CreationSamples(ann, in: .sample).sendImage(at: path) { continuation.resume(with: $0) }
            }
            #expect(message.type == .image && message.caption == "A pixel" && message.syncState == .synced)
            try await ann.messages.createTextMessage("no image", in: .sample).delivered()
            let images = QuerySamples(bob, in: .sample).images()
            await until { images.snapshots.map(\.id) == [message.id] }
        }
    }

    @Test func messagesAreChangedAndDeleted() async throws {
        try await TestHub.run { @MainActor hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let message = try await ann.messages.createTextMessage("Hi", in: .sample)
            try await message.delivered()
            try await MessageSamples(ann).edit(message.id)
            let list = QuerySamples(bob, in: .sample).newestFirst()
            let samples = MessageSamples(bob)
            await until { list.object(at: 0)?.text == "Hello!" }
            try await samples.addReaction(to: message.id)
            let live = message.live
            await until { live.snapshot?.reactions == ["like": 1] }
            try await samples.removeReaction(from: message.id)
            await until { live.snapshot?.reactions == [:] }
            try await MessageSamples(ann).delete(message.id)
            await until { list.count == 0 }
            let all = QuerySamples(bob, in: .sample).withDeleted()
            await until { all.snapshots.map(\.isDeleted) == [true] }
        }
    }

    @Test func failedMessagesAreDeletedAndResent() async throws {
        try await TestHub.run { @MainActor hub in
            let ann = try await hub.client(of: "ann")
            let samples = MessageSamples(ann)
            let later = try #require(ChannelID("later"))
            var handles: [MessageHandle] = []
            for text in ["1", "2"] {
                let handle = try await ann.messages.createTextMessage(text, in: later)
                await #expect(throws: DeliveryError.self) { try await handle.delivered() }
                handles.append(handle)
            }
            let failed = try #require(try await ann.messages.storedMessage(handles[0].id))
            #expect(MessageSamples.mark(of: failed) == "!")
            try await ChannelSamples(ann).create(later, with: [])
            try await samples.resend(failed)
            try await handles[0].delivered()
            #expect(try await samples.deleteFailed() == 1)
            #expect(try await ann.messages.storedMessage(handles[1].id) == nil)
        }
    }

    @Test func messagesAreFiltered() async throws {
        try await TestHub.run { @MainActor hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            let urgent = try await ann.messages.createTextMessage("urgent", in: .sample, tags: ["urgent"])
            for (text, tags) in [("done", ["urgent", "done"]), ("plain", [])] {
                try await ann.messages.createTextMessage(text, in: .sample, tags: tags)
            }
            let reply = try await ann.messages.createTextMessage("reply", in: .sample, parent: urgent.id)
            try await reply.delivered()
            let queries = QuerySamples(bob, in: .sample)
            let (tagged, threads, replies) = (queries.tagged(), queries.threads(), queries.replies(to: urgent.id))
            await until { tagged.snapshots.map(\.text) == ["urgent"] }
            await until { threads.snapshots.map(\.text) == ["plain", "done", "urgent"] }
            await until { replies.snapshots.map(\.text) == ["reply"] }
        }
    }
}
