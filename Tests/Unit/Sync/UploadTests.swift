import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewaySync
import CausewayTransport
import Synchronization
import Testing

/// Uploads through the whole client, against a media store that enforces the port's rules.
struct UploadTests {
    private static func configuration() -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.restart = .resume
        return configuration
    }

    /// A store with the files of the tests: the path is the hash, its number the size.
    private static func store() -> MemoryStore {
        MemoryStore(
            blobs: MemoryBlobStore { path throws(BlobError) in
                guard let size = Int64(path.dropFirst()) else { throw .sourceMissing(path: path) }
                return MemoryBlobStore.File(
                    Attachment(name: path, contentType: "audio/ogg", size: size, sha256: path),
                    bytes: ScriptedMedia.bytes(path, size: size))
            })
    }

    /// A client that is logged in, its store and the server's files.
    private struct Setting: Sendable {
        let world: ClientWorld
        let store: MemoryStore
        let client: CausewayClient
        let media: ScriptedMedia

        /// Creates a media message with the file of this name.
        func create(_ path: String, hasFile: Bool = true) async throws -> MessageID {
            let session = try #require(try await store.session())
            let id = MessageID(world.runtime.makeUUIDv7())
            var file = Attachment(name: path, contentType: "audio/ogg", size: 100, sha256: path)
            if hasFile {
                let reference = BlobReference(account: session.account, message: id)
                file = try await #require(store.blobs).add(fileAt: path, for: reference, bytesMax: .max)
            }
            _ = try await store.enqueue(
                MessageDraft(
                    id: id, channel: world.general, sender: session.user, content: .audio(file),
                    createdAt: world.runtime.wallClock, lane: .media, account: session.account))
            return id
        }

        func state(_ id: MessageID) async throws -> SyncState? { try await store.message(id)?.syncState }

        func isSynced(_ id: MessageID) async throws -> Bool { try await state(id) == .synced }

        var received: Int64 { media.state.withLock { $0.received } }
    }

    private func run(
        hasMedia: Bool = true, _ body: @escaping @Sendable (Setting) async throws -> Void
    ) throws {
        try ClientWorld.run { world in
            let store = Self.store()
            let media = ScriptedMedia(world.runtime) { session in
                // The session is stored before the first byte of its file leaves. A later run has another store.
                let stored = try? await store.page(MessageQuery(scope: .undelivered)).messages
                #expect(stored?.contains { $0.upload?.session == session.location } != false)
            }
            if hasMedia { world.transport.store(media) }
            let client = try await world.open(on: store, Self.configuration())
            try await world.login(client)
            try await body(Setting(world: world, store: store, client: client, media: media))
            #expect(media.violations == [])
        }
    }

    @Test func aFileIsUploadedInPartsAndThenItsMessageIsSent() throws {
        try run { setting in
            let id = try await setting.create("a1000")
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(setting.media.calls == ["begin a1000", "send /u/1 from 0"])
            #expect(setting.received == 1000)
            #expect(try await setting.store.message(id)?.upload?.state == .complete(receipt: "a1000"))
            #expect(
                try await setting.store.message(id)?.history.map(\.state) == [.uploading, .created, .syncing, .synced])
        }
    }

    /// Its creation overlapped a logout and another account's login: not a byte of it leaves.
    @Test func aFileOfAnotherAccountIsNotUploaded() throws {
        try run { setting in
            let session = try #require(try await setting.store.session())
            let id = MessageID(setting.world.runtime.makeUUIDv7())
            let reference = BlobReference(account: session.account, message: id)
            let file = try await #require(setting.store.blobs).add(fileAt: "a1000", for: reference, bytesMax: .max)
            _ = try await setting.store.enqueue(
                MessageDraft(
                    id: id, channel: setting.world.general, sender: try #require(UserID("bob")), content: .audio(file),
                    createdAt: setting.world.runtime.wallClock, lane: .media))
            let own = try await setting.create("b1000")
            try await setting.world.until("the own one is delivered") { try await setting.isSynced(own) }
            let failed = try #require(try await setting.store.message(id))
            #expect(failed.syncState == .error)
            #expect(failed.failure?.reason == .sessionEnded && failed.failure?.code == "otherAccount")
            #expect(failed.failure?.detail.contains("create it again") == true)
            #expect(setting.media.calls == ["begin b1000", "send /u/1 from 0"])
        }
    }

    @Test func aFileThatTheServerHasIsNotSent() throws {
        try run { setting in
            let first = try await setting.create("a1000")
            try await setting.world.until("it is delivered") { try await setting.isSynced(first) }
            let second = try await setting.create("a1000")
            try await setting.world.until("it is delivered") { try await setting.isSynced(second) }
            #expect(setting.media.calls.last == "begin a1000")
            #expect(setting.received == 1000)
        }
    }

    @Test func anEmptyFileIsUploaded() throws {
        try run { setting in
            let id = try await setting.create("a0")
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
        }
    }

    @Test func afterACutTheUploadContinuesAtOnce() throws {
        try run { setting in
            setting.media.state.withLock { $0.cuts = [300, 500, 900] }
            let begun = setting.world.runtime.now
            let id = try await setting.create("a1000")
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(
                setting.media.calls == [
                    "begin a1000", "send /u/1 from 0", "offset /u/1", "send /u/1 from 300", "offset /u/1",
                    "send /u/1 from 500", "offset /u/1", "send /u/1 from 900",
                ])
            #expect(setting.received == 1000)
            #expect(setting.world.runtime.now - begun <= .milliseconds(100))
        }
    }

    @Test func aServerWithoutFilesFailsTheMessage() throws {
        try run(hasMedia: false) { setting in
            let id = try await setting.create("a1000")
            try await setting.world.until("it failed") { try await setting.state(id) == .error }
            #expect(try await setting.store.message(id)?.failure?.code == "filesUnsupported")
        }
    }

    @Test func aMissingFileFailsTheMessage() throws {
        try run { setting in
            let id = try await setting.create("a1000", hasFile: false)
            try await setting.world.until("it failed") { try await setting.state(id) == .error }
            #expect(try await setting.store.message(id)?.failure?.code == "fileUnreadable")
        }
    }

    @Test func anExpiredSessionBeginsAgain() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(50) }
            let id = try await setting.create("a1000")
            try await setting.world.until("some of it is there") { setting.received >= 128 }
            setting.media.state.withLock { $0.sessions = [:] }
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(setting.media.calls.filter { $0 == "begin a1000" }.count == 2)
        }
    }

    @Test func aFileThatTheServerLostIsUploadedOnceMore() throws {
        try run { setting in
            setting.world.transport.server.withLock { $0.behaviours = [.fail(.unreachable(detail: "no way"))] }
            let id = try await setting.create("a1000")
            try await setting.world.until("it is uploaded") {
                try await setting.store.message(id)?.upload?.isPending == false
            }
            setting.media.state.withLock { $0.files = [] }
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(setting.received == 2000)
            #expect(try await setting.store.message(id)?.upload?.isRepeated == true)
        }
    }

    @Test func aResentMessageUploadsNothingAgain() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(50) }
            let id = try await setting.create("a1000")
            setting.world.transport.server.withLock { _ = $0.refused.insert(id) }
            try await setting.world.until("it failed") { try await setting.state(id) == .error }
            setting.world.transport.server.withLock { $0.refused = [] }
            _ = try await setting.client.messages.resend([id])
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(setting.media.calls == ["begin a1000", "send /u/1 from 0"])
        }
    }

    // MARK: - Several at once

    @Test func twoFilesAreUploadedAtOnceAndMessagesKeepTheirOrder() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(100) }
            let slow = try await setting.create("a5000")
            let fast = try await setting.create("b100")
            let last = try await setting.create("c100")
            let text = try await setting.client.messages.createTextMessage("t", in: setting.world.general).id
            try await setting.world.until("two are under way") { setting.media.calls.count >= 4 }
            #expect(Set(setting.media.calls.prefix(2)) == ["begin a5000", "begin b100"])
            try await setting.world.until("the text is there") { try await setting.isSynced(text) }
            try await setting.world.until("the others are uploaded") {
                try await setting.store.messages([fast, last]).allSatisfy { $0.upload?.isPending == false }
            }
            #expect(try await setting.state(slow) == .uploading)
            try await setting.world.until("all are there") { try await setting.isSynced(last) }
            #expect(setting.world.transport.server.withLock { $0.order } == [text, slow, fast, last])
        }
    }

    // MARK: - The end of an attempt by the client

    @Test func deletingAMessageStopsItsBytesAndCancelsItsSession() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(100) }
            let id = try await setting.create("a100000")
            try await setting.world.until("some of it is there") { setting.received > 500 }
            _ = try await setting.client.messages.softDeleteMessages([id])
            let received = setting.received
            await setting.world.pass(.seconds(1))
            #expect(setting.received <= received + 64)
            #expect(setting.media.calls.last == "cancel /u/1")
            #expect(setting.media.state.withLock { $0.sessions.isEmpty && $0.files.isEmpty })
        }
    }

    /// The session is known only after the deletion.
    @Test func deletingAMessageDuringTheCreationCancelsItsSession() throws {
        try run { setting in
            setting.media.state.withLock { $0.beginTime = .seconds(1) }
            let id = try await setting.create("a1000")
            try await setting.world.until("a session is being created") { setting.media.calls == ["begin a1000"] }
            _ = try await setting.client.messages.softDeleteMessages([id])
            await setting.world.pass(.seconds(3))
            #expect(setting.media.calls == ["begin a1000", "cancel /u/1"])
            #expect(setting.media.state.withLock { $0.sessions.isEmpty })
        }
    }

    @Test func deletingAFailedMessageCancelsItsSession() throws {
        try run { setting in
            setting.media.state.withLock { state in
                state.cuts = [300, 300, 300, 300, 300, 300, 300]
            }
            let id = try await setting.create("a1000")
            try await setting.world.until("it failed") { try await setting.state(id) == .error }
            _ = try await setting.client.messages.softDeleteMessages([id])
            await setting.world.pass(.seconds(1))
            #expect(setting.media.calls.last == "cancel /u/1")
        }
    }

    @Test func anotherRunOfTheProcessContinuesAndNoAttemptIsCounted() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(100) }
            let id = try await setting.create("a5000")
            try await setting.world.until("some of it is there") { setting.received > 500 }
            await setting.client.close()
            let store = setting.store.crashed()
            let client = try await setting.world.open(on: store, Self.configuration())
            #expect(try await store.message(id)?.upload?.attempts == 0)
            try await setting.world.until("it is delivered") { try await store.message(id)?.syncState == .synced }
            #expect(setting.received <= 5064)
            await client.close()
        }
    }

    @Test func renewingTheTokenCountsNoAttempt() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(100) }
            let id = try await setting.create("a5000")
            for _ in 1...6 {
                let received = setting.received
                try await setting.world.until("some of it is there") { setting.received > received + 200 }
                try await setting.world.login(setting.client)
            }
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(setting.received <= 5000 + 6 * 64)
        }
    }

    @Test func aLogoutStopsTheBytes() throws {
        try run { setting in
            setting.media.state.withLock { $0.partTime = .milliseconds(100) }
            let id = try await setting.create("a5000")
            try await setting.world.until("some of it is there") { setting.received > 500 }
            try await setting.client.logout()
            let received = setting.received
            await setting.world.pass(.seconds(5))
            #expect(setting.received <= received + 64)
            #expect(try await setting.state(id) == .error)
            try await setting.world.login(setting.client)
            _ = try await setting.client.messages.resend([id])
            try await setting.world.until("it is delivered") { try await setting.isSynced(id) }
            #expect(setting.received <= 5128)
        }
    }

    // MARK: - Progress

    @Test func progressIsReportedAtMostTenTimesASecond() throws {
        try ClientWorld.run { world in
            let meter = UploadProgressMeter(world.runtime)
            var reports = 0
            for sent in 1...3000 {
                if meter.record(Int64(sent)) { reports += 1 }
                await world.pass(.milliseconds(1))
            }
            #expect((29...31).contains(reports))
            #expect(meter.last == 3000)
        }
    }
}
