import Causeway
import CausewayModels
import CausewayScriptedWorld
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// One cause is one case of ``ClientError``, whatever the call.
@MainActor struct OneCauseTests {
    private typealias Call = (name: String, call: @Sendable () async throws -> Void)

    private let store = MemoryStore()
    private let server = ScriptedServer()
    private let credentials = MemoryCredentialStore()
    private let general: ChannelID
    private let token: AccessToken
    private let bob: UserID

    init() throws {
        bob = try #require(UserID("bob"))
        general = try #require(ChannelID("general"))
        token = try #require(AccessToken("secret"))
    }

    private func opened() async throws -> CausewayClient {
        try await CausewayClient.open(
            store: store, transports: server.registry, credentials: credentials, configuration: .forTests())
    }

    /// Calls that need a server.
    private func requests(_ client: CausewayClient) -> [Call] {
        let (general, bob) = (general, bob)
        let list = client.messages.getMessages(in: general)
        let changes = client.messages.messageChanges(in: general)
        let record = client.channels.getChannel(general)
        return [
            ("refreshMessages", { try await client.messages.refreshMessages(in: general) }),
            ("createChannel", { try await client.channels.createChannel(general) }),
            ("joinChannel", { try await client.channels.joinChannel(general) }),
            ("addMembers", { try await client.channelMembers.addMembers([bob], to: general) }),
            ("refresh of a list", { try await list.refresh() }),
            ("refresh of changes", { try await changes.refresh() }),
            ("refresh of a record", { try await record.refresh() }),
        ]
    }

    /// Calls that change messages here.
    private func changes(_ client: CausewayClient, of id: MessageID) -> [Call] {
        let general = general
        return [
            ("createTextMessage", { try await client.messages.createTextMessage("a", in: general) }),
            ("editTextMessage", { try await client.messages.editTextMessage(id, to: "b") }),
            ("addReaction", { try await client.messages.addReaction("wave", to: id) }),
            ("removeReaction", { try await client.messages.removeReaction("wave", from: id) }),
        ]
    }

    private func expect(_ expected: ClientError, of calls: [Call]) async {
        for (name, call) in calls {
            await #expect(throws: expected, "\(name)") { try await call() }
        }
    }

    @Test func aClosedClient() async throws {
        let client = try await opened()
        try await client.login(server: "test:", token: token)
        let handle = try await client.messages.createTextMessage("1", in: general)
        try await handle.delivered()
        let (id, general, token) = (handle.id, general, token)
        let requests = requests(client)
        await client.close()
        await expect(.closed, of: requests)
        await expect(.closed, of: changes(client, of: id))
        await expect(
            .closed,
            of: [
                ("login", { try await client.login(server: "test:", token: token) }),
                ("logout", { try await client.logout() }),
                ("status", { _ = try await client.status() }),
                ("pause", { try await client.pause() }),
                ("resend", { _ = try await client.messages.resend([id]) }),
                ("resendFailedMessages", { _ = try await client.messages.resendFailedMessages() }),
                ("softDeleteMessage", { try await client.messages.softDeleteMessage(id) }),
                ("deleteFailedMessages", { try await client.messages.deleteFailedMessages() }),
                ("storedMessage", { _ = try await client.messages.storedMessage(id) }),
                ("storedMessages", { _ = try await client.messages.storedMessages(in: general) }),
                ("failedMessages", { _ = try await client.messages.failedMessages() }),
                ("outbox", { _ = try await client.messages.outbox() }),
                ("deleteActions", { _ = try await client.messages.deleteActions() }),
                ("dependants", { _ = try await client.messages.dependants(of: id) }),
                ("file", { _ = try await client.messages.file(of: id) }),
            ])
    }

    @Test func noUserIsLoggedIn() async throws {
        let client = try await opened()
        try await client.login(server: "test:", token: token)
        let handle = try await client.messages.createTextMessage("1", in: general)
        try await handle.delivered()
        try await client.logout()
        await expect(.noSession, of: requests(client) + changes(client, of: handle.id))
        await expect(
            .noSession,
            of: [
                ("logout", { try await client.logout() }),
                ("getMemberships", { _ = try await client.channelMembers.getMemberships() }),
                ("leaveChannel", { [general] in try await client.channels.leaveChannel(general) }),
            ])
        await client.close()
    }

    /// A session whose token is not stored any more is a session: the user must act, as the status says.
    @Test func theTokenIsMissing() async throws {
        let client = try await opened()
        let session = try await client.login(server: "test:", token: token)
        await client.close()
        try await credentials.remove(for: session)
        let next = try await CausewayClient.open(
            store: store.crashed() as MemoryStore, transports: server.registry, credentials: credentials,
            configuration: .forTests())
        let action = ActionRequired(cause: .tokenRefused, detail: "no token is stored for this session; log in again")
        await expect(.transport(.actionRequired(action)), of: requests(next))
        await next.close()
    }
}

/// The file of a message that is not on this machine.
struct AbsentFileTests {
    private static let file = CausewayModels.Attachment(
        name: "a", contentType: "audio/ogg", size: 10, sha256: String(repeating: "a", count: 64))

    @Test func isRequestedLikeAnythingElse() throws {
        try ClientWorld.run { world in
            let files = NoFiles()
            let store = FailingStore(received: files, blobs: files)
            let client = try await world.open(on: store)
            try await world.login(client)
            let id = MessageID(world.runtime.makeUUIDv7())
            let message = RemoteMessage(
                id: id, channel: world.general, sender: try #require(UserID("grace")), content: .audio(Self.file),
                createdAt: world.runtime.wallClock,
                serverPosition: ServerPosition(position: 1, acceptedAt: world.runtime.wallClock))
            try await store.commit([.merge(message, at: world.runtime.wallClock)])
            // The server has no files: the same as for a message that is created with one.
            let unsupported = ClientError.content(.unsupported(.audio))
            #expect(unsupported.description == "not supported here for messages of type audio")
            await #expect(throws: unsupported) { _ = try await client.messages.file(of: id) }
            await #expect(throws: unsupported) { try await client.messages.readFile(of: id) { _ in } }
            try await client.logout()
            await #expect(throws: ClientError.noSession) { _ = try await client.messages.file(of: id) }
            await #expect(throws: ClientError.noSession) { try await client.messages.readFile(of: id) { _ in } }
            await client.close()
        }
    }
}

/// The files of a store that has none.
private struct NoFiles: BlobStore, ReceivedFiles {
    struct Part: ReceivedPart {
        var length: Int64 { 0 }
        func append(_ bytes: [UInt8]) async throws(BlobError) {}
        func finish() async throws(BlobError) -> String { "" }
        func end() async {}
    }

    func open(_ sha256: String) async throws(BlobError) -> any Blob { throw .missing(sha256: sha256) }
    func add(
        fileAt path: String, for reference: BlobReference, bytesMax: Int64
    ) async throws(BlobError) -> CausewayModels.Attachment { throw .sourceMissing(path: path) }
    func release(_ references: [BlobReference]) async throws(BlobError) {}
    func references(of account: Account) async throws(BlobError) -> [BlobReference] { [] }
    func usage() async throws(BlobError) -> BlobUsage { BlobUsage(blobs: 0, bytes: 0) }
    func path(of sha256: String) async throws(BlobError) -> String? { nil }
    func begin(_ attachment: CausewayModels.Attachment, bytesMax: Int64) async throws(BlobError) -> any ReceivedPart {
        Part()
    }
    func removeAll() async throws(BlobError) {}
    func remove(_ sha256s: Set<String>) async throws(BlobError) {}
    func close() async {}
}
