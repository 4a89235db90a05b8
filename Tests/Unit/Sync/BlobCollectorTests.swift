import CausewayModels
import CausewayRuntime
import CausewayStorage
import CausewaySync
import Synchronization
import Testing

@Suite struct BlobCollectorTests {
    private let blobs: MemoryBlobStore
    private let store: MemoryStore

    init() async throws {
        blobs = MemoryBlobStore { path throws(BlobError) in
            MemoryBlobStore.File(
                Attachment(name: path, contentType: "a/b", size: 1, sha256: path), bytes: [1])
        }
        store = MemoryStore(blobs: blobs)
        try await Self.begin(store)
    }

    private static func begin(_ store: MemoryStore) async throws {
        _ = try await store.start(
            StartOptions(
                restart: .resume,
                failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
                newOutboxID: OutboxID(UUIDv7(high: 1, low: 1))))
    }

    private func session(_ user: String) throws -> Session {
        Session(
            id: SessionID(UUIDv7(high: 2, low: UInt64(user.utf8.count))), server: "https://hub.example",
            user: try #require(UserID(user)), startedAt: Timestamp(milliseconds: 0))
    }

    private func logIn(_ user: String, to store: MemoryStore) async throws -> Session {
        let session = try session(user)
        try await store.commit([.saveSession(session)])
        return session
    }

    private func create(_ number: UInt64, _ session: Session, in store: MemoryStore) async throws -> BlobReference {
        let reference = reference(number, session)
        let attachment = try await #require(store.blobs).add(fileAt: "\(number)", for: reference, bytesMax: .max)
        _ = try await store.enqueue(
            MessageDraft(
                id: reference.message, channel: try #require(ChannelID("general")), sender: session.user,
                content: .audio(attachment), createdAt: Timestamp(milliseconds: 1), lane: .media,
                account: session.account))
        return reference
    }

    private func reference(_ number: UInt64, _ session: Session) -> BlobReference {
        BlobReference(account: session.account, message: MessageID(UUIDv7(high: 3, low: number)))
    }

    @Test func theFilesOfARemovedMessageGo() async throws {
        let ann = try await logIn("ann", to: store)
        let collector = BlobCollector(store: store, blobs: blobs, runtime: SystemRuntime())
        collector.start(session: ann)
        let first = try await create(1, ann, in: store)
        let second = try await create(2, ann, in: store)
        try await store.commit([.delete(first.message)])
        await collector.idle()
        #expect(try await blobs.references(of: ann.account) == [second])
        await collector.close()
        try await store.commit([.delete(second.message)])
        await collector.idle()
        #expect(try await blobs.references(of: ann.account) == [second])
    }

    /// A cache of downloads that notes what it is to remove.
    final class ReceivedNotes: ReceivedFiles {
        let removed = Mutex<Set<String>>([])
        /// The number of times that it was to remove everything.
        let erasures = Mutex(0)

        func path(of sha256: String) async throws(BlobError) -> String? { nil }
        func begin(_ attachment: CausewayModels.Attachment, bytesMax: Int64) async throws(BlobError)
            -> any ReceivedPart
        { throw .closed }
        func removeAll() async throws(BlobError) { erasures.withLock { $0 += 1 } }
        func remove(_ sha256s: Set<String>) async throws(BlobError) { removed.withLock { $0.formUnion(sha256s) } }
        func close() async {}
    }

    @Test func theDownloadedFilesOfARemovedMessageGo() async throws {
        let ann = try await logIn("ann", to: store)
        let received = ReceivedNotes()
        let collector = BlobCollector(store: store, blobs: blobs, received: received, runtime: SystemRuntime())
        collector.start(session: ann)
        let channel = try #require(ChannelID("general"))
        let sender = try #require(UserID("bob"))
        for number in 1...3 as ClosedRange<UInt64> {
            let file = CausewayModels.Attachment(name: "a", contentType: "a/b", size: 1, sha256: "hash \(number)")
            let message = RemoteMessage(
                id: reference(number, ann).message, channel: channel, sender: sender, content: .audio(file),
                createdAt: Timestamp(milliseconds: 1),
                serverPosition: ServerPosition(position: Int64(number), acceptedAt: Timestamp(milliseconds: 1)))
            try await store.commit([.merge(message, at: Timestamp(milliseconds: 1))])
        }
        try await store.commit([.prune([reference(1, ann).message], of: ann.account)])
        try await store.commit([.delete(reference(3, ann).message)])
        await collector.idle()
        #expect(received.removed.withLock { $0 } == ["hash 1", "hash 3"])
        await collector.close()
    }

    @Test func remainsOfAnEarlierRunGo() async throws {
        let ann = try await logIn("ann", to: store)
        let kept = try await create(1, ann, in: store)
        // The process ended between the two steps of a creation, or between a removal and the release of its file.
        for number in 2..<1500 as Range<UInt64> {
            _ = try await blobs.add(fileAt: "\(number)", for: reference(number, ann), bytesMax: .max)
        }
        let next = store.crashed()
        try await Self.begin(next)
        let files = try #require(next.blobs)
        let collector = BlobCollector(store: next, blobs: files, runtime: SystemRuntime())
        collector.start(session: ann)
        await collector.idle()
        #expect(try await files.references(of: ann.account) == [kept])
        #expect(try await files.usage().blobs == 1)
    }

    @Test func theFilesOfOtherAccountsStay() async throws {
        let ann = try await logIn("ann", to: store)
        let kept = try await create(1, ann, in: store)
        let left = reference(2, ann)
        _ = try await blobs.add(fileAt: "2", for: left, bytesMax: .max)
        let hanna = try await logIn("hanna", to: store)
        let collector = BlobCollector(store: store, blobs: blobs, runtime: SystemRuntime())
        collector.start(session: hanna)
        await collector.idle()
        #expect(try await Set(blobs.references(of: ann.account)) == [kept, left])
        _ = try await logIn("ann", to: store)
        await collector.idle()
        #expect(try await blobs.references(of: ann.account) == [kept])
    }

    @Test func aMessageThatIsBeingCreatedKeepsItsFile() async throws {
        let ann = try await logIn("ann", to: store)
        let collector = BlobCollector(store: store, blobs: blobs, runtime: SystemRuntime())
        let reference = reference(1, ann)
        try await collector.creating(reference.message) {
            _ = try await blobs.add(fileAt: "1", for: reference, bytesMax: .max)
            collector.start(session: ann)
            await collector.idle()
            #expect(try await blobs.references(of: ann.account) == [reference])
        }
        // Its creation failed, and the next sweep finds it.
        _ = try await logIn("hanna", to: store)
        _ = try await logIn("ann", to: store)
        await collector.idle()
        #expect(try await blobs.references(of: ann.account) == [])
    }

    @Test func aStoreThatFailsRemovesNothing() async throws {
        let ann = try await logIn("ann", to: store)
        _ = try await blobs.add(fileAt: "1", for: reference(1, ann), bytesMax: .max)
        await store.close()
        let collector = BlobCollector(store: store, blobs: blobs, runtime: SystemRuntime())
        collector.start(session: ann)
        await collector.idle()
        #expect(try await blobs.references(of: ann.account) == [reference(1, ann)])
    }
}
