import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// The same trouble with the disk is the same error, whichever call meets it.
struct MediaErrorTests {
    static let expectations: [(BlobError, ClientError)] = [
        (.full(detail: "no space"), .store(.full(detail: "no space"))),
        (.syncFailed(detail: "no sync"), .store(.syncFailed(detail: "no sync"))),
        (.notAccessible(path: "/p", detail: "no"), .store(.notAccessible(path: "/p", detail: "no"))),
        (.closed, .closed),
        (.damaged(path: "/p", detail: "short"), .blob(.damaged(path: "/p", detail: "short"))),
        (.busy(limit: 3), .blob(.busy(limit: 3))),
    ]

    @Test(arguments: expectations) func isTheSameForFilesAndBytes(_ error: BlobError, _ expected: ClientError) throws {
        try ClientWorld.run { world in
            let files = TroubledFiles(error: error)
            let store = FailingStore(received: files, blobs: files)
            let client = try await world.open(on: store)
            try await world.login(client)
            let id = MessageID(world.runtime.makeUUIDv7())
            let message = RemoteMessage(
                id: id, channel: world.general, sender: try #require(UserID("grace")),
                content: .audio(TroubledFiles.file), createdAt: world.runtime.wallClock,
                serverPosition: ServerPosition(position: 1, acceptedAt: world.runtime.wallClock))
            try await store.commit([.merge(message, at: world.runtime.wallClock)])
            await #expect(throws: expected) { _ = try await client.messages.file(of: id) }
            await #expect(throws: expected) { try await client.messages.readFile(of: id) { _ in } }
            await client.close()
        }
    }
}

/// The files of a store whose disk is in trouble: there is a file of ten bytes, and nothing can be read or written.
private struct TroubledFiles: BlobStore, ReceivedFiles {
    static let file = CausewayModels.Attachment(name: "a", contentType: "audio/ogg", size: 10, sha256: "a")

    struct File: Blob {
        let error: BlobError
        var size: Int64 { TroubledFiles.file.size }
        var path: String? { nil }

        func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] { throw error }
    }

    let error: BlobError

    func open(_ sha256: String) async throws(BlobError) -> any Blob { File(error: error) }
    func add(
        fileAt path: String, for reference: BlobReference, bytesMax: Int64
    ) async throws(BlobError) -> CausewayModels.Attachment { throw error }
    func release(_ references: [BlobReference]) async throws(BlobError) {}
    func references(of account: Account) async throws(BlobError) -> [BlobReference] { [] }
    func usage() async throws(BlobError) -> BlobUsage { BlobUsage(blobs: 1, bytes: 10) }

    func path(of sha256: String) async throws(BlobError) -> String? { throw error }
    func begin(_ attachment: CausewayModels.Attachment, bytesMax: Int64) async throws(BlobError) -> any ReceivedPart {
        throw error
    }
    func removeAll() async throws(BlobError) {}
    func remove(_ sha256s: Set<String>) async throws(BlobError) {}
    func close() async {}
}
