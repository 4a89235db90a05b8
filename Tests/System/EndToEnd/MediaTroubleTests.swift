import Causeway
import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// A hub that cannot take a file: the message fails or waits with the reason, texts go on, and neither side keeps
/// anything.
@Suite(.timeLimit(.minutes(10))) struct MediaTroubleTests {
    private static func file(_ count: Int, _ name: String, in world: RealWorld) throws -> MediaSource {
        let path = world.folder + "/" + name
        let seed = UInt8(truncatingIfNeeded: name.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
        try Data(repeating: seed, count: count).write(to: URL(fileURLWithPath: path))
        return MediaSource(path: path)
    }

    private static func files(in folder: String) -> [String] {
        (FileManager.default.subpaths(atPath: folder) ?? []).filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            return attributes?[.type] as? FileAttributeType != .typeDirectory
        }
    }

    private static func expectNoFiles(in world: RealWorld) async throws {
        try await Eventually.holds("neither side keeps a file") {
            files(in: world.folder + "/hub/blobs").isEmpty && files(in: world.folder + "/store/blobs").isEmpty
        }
    }

    @Test func aMessageFailsWhenTheQuotaIsUsedUp() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.blobs.quotaBytes = 10_000 }
        try await RealWorld.run(on: .file, change: change) { world in
            try await world.withClient { client in
                let messages = client.messages
                let handle = try await messages.createFileMessage(
                    try Self.file(50_000, "large", in: world), in: world.general)
                let text = try await messages.createTextMessage("a text", in: world.general)
                _ = try await text.delivered()
                do {
                    _ = try await handle.delivered()
                    Issue.record("a file beyond the quota was accepted")
                } catch let error as DeliveryError {
                    guard case .failed(let failure) = error else { throw error }
                    #expect(failure.reason == .refused)
                    #expect(failure.code == "quotaExceeded")
                    #expect(failure.detail.hasPrefix("its attachment was not uploaded: "))
                }
                // A smaller file still fits.
                let small = try await messages.createFileMessage(
                    try Self.file(5000, "small", in: world), in: world.general)
                _ = try await small.delivered()
                let name = try #require(handle.message.content.attachment?.sha256)
                try await messages.softDeleteMessage(handle.id)
                try await Eventually.holds("neither side has the large file") {
                    !(Self.files(in: world.folder + "/hub/blobs") + Self.files(in: world.folder + "/store/blobs"))
                        .contains { $0.contains(name) }
                }
            }
        }
    }

    /// The limit of the server is known from the login on: nothing is copied.
    @Test func aFileBeyondTheLimitIsRefusedWhenItsMessageIsCreated() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.blobs.fileBytesMax = 1000 }
        try await RealWorld.run(on: .file, change: change) { world in
            try await world.withClient { client in
                let messages = client.messages
                let large = try Self.file(1001, "large", in: world)
                let error = await #expect(throws: ClientError.self) {
                    try await messages.createFileMessage(large, in: world.general)
                }
                guard case .blob(.fileTooLarge(_, 1001, 1000)) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(try await messages.outbox().items.isEmpty)
                try await Self.expectNoFiles(in: world)
                let exact = try await messages.createFileMessage(
                    try Self.file(1000, "exact", in: world), in: world.general)
                _ = try await exact.delivered()
            }
        }
    }

    @Test func aMessageWaitsWhileTheHubsDiskIsFull() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.blobs.freeBytesMin = 1 << 62 }
        try await RealWorld.run(change: change) { world in
            try await world.withClient { client in
                let messages = client.messages
                let handle = try await messages.createFileMessage(
                    try Self.file(50_000, "file", in: world), in: world.general)
                try await Eventually.holds("it was tried, and waits as the hub asked") {
                    guard case .rateLimited = try await messages.outbox().items.first?.wait else { return false }
                    return true
                }
                let text = try await messages.createTextMessage("a text", in: world.general)
                _ = try await text.delivered()
                #expect(try await messages.storedMessage(handle.id)?.syncState != .error)
                try await messages.softDeleteMessage(handle.id)
                try await Self.expectNoFiles(in: world)
            }
        }
    }

    /// The second file is complete long before the first one, behind which its message waits, and expires meanwhile.
    @Test func aFileThatExpiredBeforeItsMessageIsUploadedAgain() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.unattachedSecondsMax = 3
            $0.expiry = .milliseconds(20)
        }
        try await RealWorld.run(on: .file, change: change) { world in
            let port = try #require(URL(string: world.address)?.port)
            try await FaultProxy.run(to: port) { _ in
                .slow(bytes: 8_000, pause: .milliseconds(4))
            } body: { _, port in
                let client = try await world.open()
                try await client.login(server: "https://127.0.0.1:\(port)", token: try world.token())
                let first = try await client.messages.createFileMessage(
                    try Self.file(20_000_000, "first", in: world), in: world.general)
                let second = try await client.messages.createFileMessage(
                    try Self.file(1000, "second", in: world), in: world.general)
                let name = try #require(second.message.content.attachment?.sha256)
                let hub = world.folder + "/hub/blobs"
                try await Eventually.holds("the hub has the second file") {
                    Self.files(in: hub).contains { $0.hasSuffix(name) }
                }
                try await Eventually.holds("it has expired") { !Self.files(in: hub).contains { $0.hasSuffix(name) } }
                #expect(try await client.messages.storedMessage(first.id)?.syncState == .uploading)
                _ = try await first.delivered()
                _ = try await second.delivered()
                #expect(try await world.onTheHub().map(\.id) == [first.id, second.id])
                #expect(Self.files(in: hub).contains { $0.hasSuffix(name) })
                await client.close()
            }
        }
    }
}
