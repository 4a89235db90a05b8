import Causeway
import CausewayModels
import CausewaySQLiteStorage
import CausewayScriptedWorld
import CausewayTestSupport
import CausewayTransport
import Foundation
import Synchronization
import Testing

/// Messages with files, from a path on one disk to a path on another one.
@Suite(.timeLimit(.minutes(10))) struct MediaTests {
    /// A file that begins like a PNG image, with other bytes behind it.
    private static func image(_ count: Int, seed: UInt8) -> [UInt8] {
        let header: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 40, 0, 0, 0,
            30, 8, 6, 0, 0, 0, 1, 2, 3, 4,
        ]
        return header + [UInt8](repeating: seed, count: max(0, count - header.count))
    }

    private static func write(_ bytes: [UInt8], _ name: String, in world: RealWorld) throws -> String {
        let path = world.folder + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Files below a folder, without those of the database.
    private static func files(in folder: String) -> [String] {
        (FileManager.default.subpaths(atPath: folder) ?? []).filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            return attributes?[.type] as? FileAttributeType != .typeDirectory
        }
    }

    /// The documented example. Under ``OrderingPolicy/strict`` everything waits for the slow image.
    @Test(arguments: [OrderingPolicy.laned, .mediaAfterText, .strict])
    func textsOvertakeImagesWhichKeepTheirOrder(_ ordering: OrderingPolicy) async throws {
        try await RealWorld.run(on: .file) { world in
            // 2 MB in a second: the first image takes two seconds, the texts none of them.
            let port = try #require(URL(string: world.address)?.port)
            try await FaultProxy.run(to: port) { _ in
                .slow(bytes: 8_000, pause: .milliseconds(4))
            } body: { _, port in
                var configuration = RealWorld.quick
                configuration.ordering = ordering
                let client = try await world.open("store", configuration)
                try await client.login(server: "https://127.0.0.1:\(port)", token: try world.token())
                let large = try Self.write(Self.image(4_000_000, seed: 1), "1.png", in: world)
                let small = try Self.write(Self.image(400_000, seed: 2), "2.png", in: world)
                let tiny = try Self.write(Self.image(1000, seed: 3), "3.png", in: world)
                let messages = client.messages
                let handles = [
                    try await messages.createTextMessage("Text1", in: world.general),
                    try await messages.createImageMessage(MediaSource(path: large), in: world.general, caption: "I1"),
                    try await messages.createImageMessage(MediaSource(path: small), in: world.general),
                    try await messages.createTextMessage("Text2", in: world.general),
                    try await messages.createTextMessage("Text3", in: world.general),
                    try await messages.createImageMessage(MediaSource(path: tiny), in: world.general),
                ]
                // The sources do not matter any longer.
                try FileManager.default.removeItem(atPath: large)
                try Data([1]).write(to: URL(fileURLWithPath: small))
                if ordering != .strict {
                    for index in [0, 3, 4] { _ = try await handles[index].delivered() }
                    // Text did not wait for the first image.
                    #expect(try await messages.storedMessage(handles[1].id)?.syncState != .synced)
                }
                for handle in handles { _ = try await handle.delivered() }
                let order = (ordering == .strict ? [0, 1, 2, 3, 4, 5] : [0, 3, 4, 1, 2, 5]).map { handles[$0].id }
                let found = try await world.onTheHub()
                #expect(found.map(\.id) == order)
                let attachment = try #require(try await messages.storedMessage(handles[1].id)?.content.attachment)
                #expect(attachment.contentType == "image/png")
                #expect(attachment.width == 40)
                #expect(attachment.height == 30)
                #expect(attachment.name == "1.png")
                #expect(attachment.size == 4_000_000)
                await client.close()
            }
        }
    }

    /// The name of the error of a creation.
    private static func failure(_ body: () async throws -> MessageHandle) async -> String {
        do {
            _ = try await body()
            return "created"
        } catch {
            switch error as? ClientError {
            case .blob(.sourceMissing): return "missing"
            case .blob(.sourceNotAFile(_, let kind)): return kind
            case .blob(.sourceUnreadable): return "unreadable"
            case .content(.contentTypeDiffers(_, let found)): return found
            case .content(.captionTooLong): return "caption"
            case .content(.previewTooLong): return "preview"
            default: return "\(error)"
            }
        }
    }

    @Test func aRefusedFileLeavesNothingBehind() async throws {
        try await RealWorld.run { world in
            try await world.withClient { client in
                let messages = client.messages
                let text = try Self.write(Array("just words".utf8), "lie.png", in: world)
                let pipe = world.folder + "/pipe"
                #expect(unsafe mkfifo(pipe, 0o600) == 0)
                let before = Self.files(in: world.folder)

                let general = world.general
                func image(_ path: String) async -> String {
                    await Self.failure {
                        try await messages.createImageMessage(MediaSource(path: path), in: general)
                    }
                }
                #expect(await image(world.folder + "/none.png") == "missing")
                #expect(await image("") == "missing")
                #expect(await image(world.folder) == "a folder")
                #expect(await image(pipe) == "a pipe")
                #expect(await image("/dev/zero") == "a device")
                #expect(await image(text) == "text/plain")
                #expect(
                    await Self.failure {
                        try await messages.createVideoMessage(MediaSource(path: text), in: general)
                    } == "text/plain")
                let caption = String(repeating: "a", count: Limits.captionBytesMax + 1)
                #expect(
                    await Self.failure {
                        try await messages.createFileMessage(MediaSource(path: text), in: general, caption: caption)
                    } == "caption")
                let preview = [UInt8](repeating: 1, count: Limits.previewBytesMax + 1)
                #expect(
                    await Self.failure {
                        try await messages.createFileMessage(MediaSource(path: text, preview: preview), in: general)
                    } == "preview")
                struct Broken: Error {}
                #expect(
                    await Self.failure {
                        try await messages.createFileMessage(MediaSource(name: "a") { throw Broken() }, in: general)
                    } == "unreadable")
                #expect(Self.files(in: world.folder).sorted() == before.sorted())
                #expect(try await messages.outbox().items.isEmpty)
            }
        }
    }

    @Test func anythingCanBeSentAsAFileFromAnywhere() async throws {
        try await RealWorld.run(on: .file) { world in
            try await world.withClient { client in
                let messages = client.messages
                let empty = try Self.write([], "empty", in: world)
                let handle = try await messages.createFileMessage(
                    MediaSource(path: empty, name: "../../a\nb.txt"), in: world.general)
                _ = try await handle.delivered()
                let attachment = try #require(try await messages.storedMessage(handle.id)?.content.attachment)
                #expect(attachment.size == 0)
                #expect(attachment.name == "a_b.txt")

                let words = try Self.write(Array("words".utf8), "words", in: world)
                let file = try #require(FileHandle(forReadingAtPath: words))
                try FileManager.default.removeItem(atPath: words)
                let open = try await messages.createFileMessage(
                    MediaSource(descriptor: file.fileDescriptor, name: "words.txt"), in: world.general, caption: "c")
                _ = try await open.delivered()
                #expect(try String(contentsOfFile: try await messages.file(of: open.id), encoding: .utf8) == "words")

                let parts = Parts(["one ", "two ", "three"])
                let streamed = try await messages.createFileMessage(
                    MediaSource(name: "parts.txt") { await parts.next() }, in: world.general)
                _ = try await streamed.delivered()
                #expect(
                    try String(contentsOfFile: try await messages.file(of: streamed.id), encoding: .utf8)
                        == "one two three")
                #expect(!Self.files(in: world.folder + "/store/blobs").contains { $0.hasPrefix("new-") })
            }
        }
    }

    private actor Parts {
        private var rest: [String]

        init(_ parts: [String]) { rest = parts }

        nonisolated func next() async -> [UInt8]? { await take().map { Array($0.utf8) } }

        private func take() -> String? { rest.isEmpty ? nil : rest.removeFirst() }
    }

    @Test func anotherDeviceFetchesTheFileOnceAndKeepsIt() async throws {
        try await RealWorld.run { world in
            let bytes = Self.image(2_000_000, seed: 9)
            let path = try Self.write(bytes, "a.png", in: world)
            var id: MessageID?
            try await world.withClient { client in
                let handle = try await client.messages.createImageMessage(MediaSource(path: path), in: world.general)
                _ = try await handle.delivered()
                id = handle.id
            }
            let message = try #require(id)
            var configuration = RealWorld.quick
            configuration.receivedBytesMax = 3_000_000
            let other = try await world.open("other", configuration)
            try await other.login(server: world.address, token: try world.token())
            try await other.messages.refreshMessages(in: world.general)
            async let first = other.messages.file(of: message)
            async let second = other.messages.file(of: message)
            let paths = try await [first, second]
            #expect(paths[0] == paths[1])
            #expect(paths[0].hasPrefix(world.folder + "/other/received/"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: paths[0])) == Data(bytes))
            #expect(Self.files(in: world.folder + "/other/received").count == 1)
            // Offline it is still here.
            try await other.logout()
            #expect(try await other.messages.file(of: message) == paths[0])
            let read = Mutex<[UInt8]>([])
            try await other.messages.readFile(of: message, from: 5) { part throws(TransportError) in
                read.withLock { $0 += part }
            }
            #expect(read.withLock { $0 } == Array(bytes[5...]))
            // A caller that is cancelled gets no further part.
            let parts = Mutex(0)
            let cancelled = Task {
                try await other.messages.readFile(of: message) { _ throws(TransportError) in
                    parts.withLock { $0 += 1 }
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                }
            }
            await #expect(throws: ClientError.self) { try await cancelled.value }
            #expect(parts.withLock { $0 } == 1)
            await other.close()
        }
    }

    @Test func deletingAMessageStopsItsUpload() async throws {
        try await RealWorld.run(on: .file) { world in
            let port = try #require(URL(string: world.address)?.port)
            try await FaultProxy.run(to: port) { _ in
                .slow(bytes: 8_000, pause: .milliseconds(5))
            } body: { _, port in
                let client = try await world.open()
                try await client.login(server: "https://127.0.0.1:\(port)", token: try world.token())
                let path = try Self.write(Self.image(8_000_000, seed: 4), "a.png", in: world)
                let handle = try await client.messages.createImageMessage(
                    MediaSource(path: path), in: world.general)
                try await Eventually.holds("bytes are on the way") {
                    let wait = try await client.messages.outbox().items.first?.wait
                    guard case .uploading(let sent, let total) = wait else { return false }
                    return sent > 0 && total == 8_000_000
                }
                let uploading = try await client.messages.storedMessage(handle.id)
                #expect(uploading?.syncState == .uploading)
                try await client.messages.softDeleteMessage(handle.id)
                try await Eventually.holds("the hub has nothing of it") {
                    Self.files(in: world.folder + "/hub/blobs").isEmpty
                }
                try await Eventually.holds("the store has nothing of it") {
                    Self.files(in: world.folder + "/store/blobs").isEmpty
                }
                #expect(try await client.messages.outbox().items.isEmpty)
                await client.close()
            }
        }
    }
}
