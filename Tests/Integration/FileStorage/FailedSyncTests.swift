import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Testing

/// After a failed sync the system may have dropped what it could not write, although it still reads it back: neither a
/// restart nor a snapshot may take it for durable.
struct FailedSyncTests {
    private func store(
        on disk: FaultyDisk, _ durability: Durability = .full, _ options: FileOptions = FileOptions()
    ) async throws -> FileStore {
        let store = try await FileStore.open(on: disk, durability: durability, options: options)
        _ = try await store.start(History.options)
        return store
    }

    private func store(cursor number: Int, in store: FileStore) async throws {
        try await store.commit([.setEventCursor(EventCursor(rawValue: "\(number)"))], durability: .normal)
    }

    /// A store with message 0, behind it an event that nothing has waited for, and a failed sync.
    private func damaged(_ disk: FaultyDisk) async throws -> FileStore {
        let store = try await store(on: disk)
        _ = try await store.enqueue(History.draft(0))
        try await self.store(cursor: 1, in: store)
        disk.failNext(1, .sync)
        await #expect(throws: StoreError.self) { _ = try await store.enqueue(History.draft(1)) }
        #expect(disk.hits == [.sync])
        return store
    }

    private func expect(_ numbers: [Int], on disk: FaultyDisk) async throws {
        let store = try await store(on: disk)
        let found = try await store.page(MessageQuery(scope: .undelivered)).messages.map(\.id)
        #expect(found == numbers.map(History.id))
        await store.close()
    }

    enum End: CaseIterable, Sendable { case killed, closed }

    /// The next process reads back what was dropped, and later commits rest on it.
    @Test(arguments: End.allCases, Durability.allCases)
    func whatWasDroppedIsWrittenAgainAfterARestart(_ end: End, _ durability: Durability) async throws {
        let disk = FaultyDisk()
        let former = try await damaged(disk)
        if end == .closed { await former.close() }
        let next = disk.afterKill()
        let store = try await store(on: next, durability)
        _ = try await store.enqueue(History.draft(2))
        if durability == .normal { try await store.maintain(.snapshot) }
        try await expect([0, 2], on: next.afterPowerFailure { false })
        await store.close()
        await former.close()
    }

    /// A store that is closed after a failed sync leaves everything durable, as any other.
    @Test func aClosedStoreIsDurableAfterAFailedSync() async throws {
        let disk = FaultyDisk()
        try await damaged(disk).close()
        let store = try await FileStore.open(on: disk.afterPowerFailure { false }, durability: .full)
        #expect(try await store.start(History.options).eventCursor?.rawValue == "1")
        await store.close()
    }

    /// The system has forgotten what was written: the zeros that are left must not become a part of the journal.
    @Test func whatCannotBeReadBackIsNotWrittenAgain() async throws {
        let disk = FaultyDisk(evictsDropped: true)
        let former = try await damaged(disk)
        for number in 2..<4 {
            do throws(StoreError) {
                _ = try await former.enqueue(History.draft(number))
                Issue.record("it was acknowledged")
            } catch {
                guard case .syncFailed(let detail) = error else { throw error }
                #expect(detail.contains("open it again"))
            }
        }
        await former.close()
        let next = disk.afterKill()
        let store = try await store(on: next)
        _ = try await store.enqueue(History.draft(4))
        try await expect([0, 4], on: next.afterPowerFailure { false })
        await store.close()
    }

    // MARK: Snapshots

    /// Maintenance whose steps wait until a test performs them.
    private func maintained(_ disk: FaultyDisk) async throws -> (FileStore, HeldSteps) {
        let steps = HeldSteps()
        let options = FileOptions(perform: { steps.add($0) })
        return (try await store(on: disk, .full, options), steps)
    }

    /// Linux reports a failed write-back once for each open file: a snapshot must not take the report that is meant for
    /// a commit.
    @Test func aSnapshotTakesNoErrorFromACommit() async throws {
        let disk = FaultyDisk()
        let (store, steps) = try await maintained(disk)
        _ = try await store.enqueue(History.draft(0))
        let snapshot = Task { try await store.maintain(.snapshot) }
        try await Eventually.holds("the snapshot waits") { steps.isWaiting }
        // The commit has written, and is about to sync.
        disk.beforeNextSync { steps.performAll() }
        disk.failNext(1, .sync)
        var acknowledged = [0]
        do throws(StoreError) {
            _ = try await store.enqueue(History.draft(1))
            acknowledged.append(1)
        } catch {
            guard case .syncFailed = error else { throw error }
        }
        #expect(disk.hits == [.sync])
        try await expect(acknowledged, on: disk.afterPowerFailure { false })
        _ = await snapshot.result
        await store.close()
    }

    /// A sync fails while a snapshot is being written: it may not name what that sync has dropped.
    @Test func aSnapshotNamesNothingThatWasDropped() async throws {
        let disk = FaultyDisk()
        let (store, steps) = try await maintained(disk)
        _ = try await store.enqueue(History.draft(0))
        try await self.store(cursor: 1, in: store)
        let snapshot = Task { try await store.maintain(.snapshot) }
        try await Eventually.holds("the snapshot waits") { steps.isWaiting }
        disk.failNext(1, .sync)
        await #expect(throws: StoreError.self) { _ = try await store.enqueue(History.draft(1)) }
        steps.performAll()
        _ = await snapshot.result
        try await expect([0], on: disk.afterPowerFailure { false })
        await store.close()
    }
}
