import Causeway
import CausewayTestSupport
import Foundation
import Testing

/// Media messages of callers that do not wait, and what an erasing logout leaves of files on the disk.
@Suite(.timeLimit(.minutes(3))) struct MediaCompletionTests {
    private static func files(in folder: String) -> [String] {
        (FileManager.default.subpaths(atPath: folder) ?? []).filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            return attributes?[.type] as? FileAttributeType != .typeDirectory
        }
    }

    /// Creates a message and waits for its completion.
    @MainActor private static func result(
        _ create: (@escaping @MainActor (Result<Message, DeliveryError>) -> Void) -> MessageID
    ) async -> (id: MessageID?, result: Result<Message, DeliveryError>) {
        var id: MessageID?
        let result = await withCheckedContinuation { continuation in
            id = create { continuation.resume(returning: $0) }
        }
        return (id, result)
    }

    @Test func completionsReportTheEndOfADelivery() async throws {
        try await RealWorld.run(on: .file) { world in
            let path = world.folder + "/notes.txt"
            try Data("notes".utf8).write(to: URL(fileURLWithPath: path))
            try await world.withClient { client in
                let (messages, general) = (client.messages, world.general)
                async let later = Self.result {
                    messages.createFileMessage(MediaSource(path: path), in: general, caption: "read", completion: $0)
                }
                async let missing = Self.result {
                    messages.createImageMessage(MediaSource(path: path + "?"), in: general, completion: $0)
                }
                async let other = Self.result {
                    messages.createVideoMessage(MediaSource(path: path), in: general, completion: $0)
                }
                async let audio = Self.result {
                    messages.createAudioMessage(MediaSource(path: path), in: general, completion: $0)
                }
                let delivered = await later
                let message = try delivered.result.get()
                #expect(message.id == delivered.id && message.syncState == .synced && message.caption == "read")
                #expect(message.attachment?.name == "notes.txt")
                guard case .failure(.notCreated(.blob(.sourceMissing))) = await missing.result else {
                    Issue.record("a missing file: \(await missing.result)")
                    return
                }
                for wrong in [await other, await audio] {
                    guard case .failure(.notCreated(.content(.contentTypeDiffers))) = wrong.result else {
                        Issue.record("a text as \(wrong)")
                        return
                    }
                }
                #expect(try await world.onTheHub().map(\.id) == [message.id])
            }
        }
    }

    @Test func anErasingLogoutLeavesNoFile() async throws {
        try await RealWorld.run { world in
            let path = world.folder + "/notes.txt"
            try Data("notes".utf8).write(to: URL(fileURLWithPath: path))
            var sent: MessageID?
            try await world.withClient { client in
                let handle = try await client.messages.createFileMessage(MediaSource(path: path), in: world.general)
                try await handle.delivered()
                sent = handle.id
            }
            let id = try #require(sent)
            let client = try await world.open("other")
            try await client.login(server: world.address, token: try world.token())
            try await client.messages.refreshMessages(in: world.general)
            _ = try await client.messages.file(of: id)
            let own = try await client.messages.createFileMessage(
                MediaSource(name: "own") { nil }, in: world.general)
            try await own.delivered()
            let folder = world.folder + "/other"
            #expect(Self.files(in: folder + "/received").count == 1)
            #expect(!Self.files(in: folder + "/blobs").isEmpty)
            try await client.logout(erasing: true)
            #expect(Self.files(in: folder + "/received") == [])
            #expect(Self.files(in: folder + "/blobs") == [])
            #expect(try await client.messages.storedMessages(in: world.general).messages.isEmpty)
            // The messages that the server has are there again after a login.
            try await client.login(server: world.address, token: try world.token())
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await client.messages.storedMessages(in: world.general).messages.count == 2)
            await client.close()
        }
    }
}
