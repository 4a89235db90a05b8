import CausewayModels
import CausewayStorage
import CausewayStorageConformance
import Testing

struct MemoryStoreTests {
    private let factory = StoreFactory(
        make: { MemoryStore(bounds: $0) },
        reopen: { store in
            guard let store = store as? MemoryStore else { throw StoreError.closed }
            return store.crashed()
        })

    @Test(arguments: StoreConformance.rules)
    func keeps(_ rule: StoreConformance.Rule) async throws { try await rule.run(factory) }

    @Test func failsAsOftenAsTold() async throws {
        let store = MemoryStore()
        _ = try await store.start(opening)
        store.failNextCommits(2, with: .full(detail: "told to"))
        let draft = try draft(1)
        await #expect(throws: StoreError.full(detail: "told to")) { try await store.enqueue(draft) }
        await #expect(throws: StoreError.full(detail: "told to")) { try await store.commit([]) }
        #expect(try await store.message(draft.id) == nil)
        #expect(try await store.enqueue(draft).syncState == .created)
    }

    @Test func aCrashedStoreHoldsWhatWasCommittedAndNoMore() async throws {
        let store = MemoryStore()
        _ = try await store.start(opening)
        _ = try await store.enqueue(draft(1))
        let next = store.crashed()
        _ = try await store.enqueue(draft(2))
        #expect(try await next.start(opening).entries.count == 1)
        #expect(try await store.outbox().entries.count == 2)
    }

    private var opening: StartOptions {
        StartOptions(
            restart: .resume,
            failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
            newOutboxID: OutboxID(UUIDv7(high: 1, low: 1)))
    }

    private func draft(_ number: UInt64) throws -> MessageDraft {
        MessageDraft(
            id: MessageID(UUIDv7(high: number, low: number)), channel: try #require(ChannelID("general")),
            sender: try #require(UserID("ada")), content: .text("hello"), createdAt: Timestamp(milliseconds: 1),
            lane: .text)
    }
}
