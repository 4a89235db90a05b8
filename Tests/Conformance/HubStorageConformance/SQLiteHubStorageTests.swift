import CausewayHubSQLite
import CausewayHubStorage
import CausewayHubStorageConformance
import CausewayModels
import CausewayTestSupport
import Logging
import Synchronization
import Testing

struct SQLiteHubStorageTests {
    @Test(arguments: HubStorageConformance.rules)
    func keeps(_ rule: HubStorageConformance.Rule) async throws {
        let folder = try TemporaryFolder()
        let count = Mutex(0)
        let path = Mutex("")
        try await rule.run(
            HubStorageFactory(
                make: {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    let file = "\(folder.path)/hub\(number).sqlite"
                    path.withLock { $0 = file }
                    return try SQLiteHubStorage(path: file, creating: true)
                },
                reopen: { storage in
                    storage.close()
                    return try SQLiteHubStorage(path: path.withLock { $0 })
                }))
    }

    /// The connection of a client may end while its request reads: that is no failure of the storage.
    @Test func aCancelledReadIsNoFailure() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/hub.sqlite"
        let storage = try SQLiteHubStorage(path: path, creating: true)
        let task = Task { () async -> HubStorageError? in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            do throws(HubStorageError) {
                _ = try await storage.accounts()
                return nil
            } catch {
                return error
            }
        }
        #expect(await task.value == .cancelled(path: path))
        #expect(storage.isHealthy)
        let accounts = try await storage.accounts()
        #expect(accounts.isEmpty)
        storage.close()
    }

    /// With faults of the storage: a transaction that fails leaves nothing, and one whose commit fails may be stored.
    @Test(arguments: [StorageFaults.Step.write, .commit, .sync])
    func aTransactionThatFailsIsStoredOrReportedAsUnknown(step: StorageFaults.Step) async throws {
        let folder = try TemporaryFolder()
        let faults = StorageFaults()
        let logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
        let storage = try SQLiteHubStorage(
            path: folder.path + "/hub.sqlite", creating: true, faults: faults, logger: logger)
        try await storage.beginOpening(Array(repeating: 1, count: 16))
        let outbox = OutboxKey(account: 1, id: OutboxID(UUIDv7(high: 1, low: 1)))
        try await storage.addAccount(
            try #require(UserID("ada")), tokenDigest: [1], at: Timestamp(milliseconds: 1))
        let store: @Sendable () async throws(HubStorageError) -> Int64 = { () async throws(HubStorageError) in
            try await storage.transact(loading: DeliveryKeys()) { state in
                var changes = DeliveryChanges(lastCommit: state.lastCommit + 1)
                let key = LaneKey(outbox: outbox, lane: .text)
                changes.outboxes[outbox] = .init(epoch: 1, opening: nil)
                changes.lanes[key] = .init(mark: changes.lastCommit, mover: nil, commit: changes.lastCommit)
                return DeliveryDecision(changes: changes, value: changes.lastCommit)
            }
        }
        faults.inject(step)
        let error = await #expect(throws: HubStorageError.self) { try await store() }
        if case .outcomeUnknown = error { #expect(step != .write) } else { #expect(step == .write) }
        #expect(storage.opening?.lastCommit == 0, "an unconfirmed commit is not named")
        try await Eventually.holds("it is verified") { storage.isHealthy }
        let marks = try await storage.marks(of: outbox)
        #expect(marks.isEmpty == (step != .sync))
        if step != .sync {
            let commit = try await store()
            #expect(commit > 0)
            #expect(storage.opening?.lastCommit == commit)
        }
    }

    /// The next opening would know that it did not reach the commit, and clients would be told that data was lost.
    @Test(arguments: [StorageFaults.Step.commit, .sync])
    func aCommitThatFailedIsNamedOnlyIfItIsStored(step: StorageFaults.Step) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/hub.sqlite"
        let faults = StorageFaults()
        let logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
        let storage = try SQLiteHubStorage(path: path, creating: true, faults: faults, logger: logger)
        let opening: [UInt8] = Array(repeating: 1, count: 16)
        try await storage.beginOpening(opening)
        try await storage.addAccount(
            try #require(UserID("ada")), tokenDigest: [1], at: Timestamp(milliseconds: 1))
        let outbox = OutboxKey(account: 1, id: OutboxID(UUIDv7(high: 1, low: 1)))
        faults.inject(step)
        await #expect(throws: HubStorageError.self) {
            try await storage.transact(loading: DeliveryKeys()) { state in
                var changes = DeliveryChanges(lastCommit: state.lastCommit + 1)
                let key = LaneKey(outbox: outbox, lane: .text)
                changes.outboxes[outbox] = .init(epoch: 1, opening: nil)
                changes.lanes[key] = .init(mark: 1, mover: nil, commit: changes.lastCommit)
                return DeliveryDecision(changes: changes, value: ())
            }
        }
        try await Eventually.holds("it is verified") { storage.isHealthy }
        // As for a delivery that repeats what was stored before.
        for _ in 1...2 {
            let seen = try await storage.transact(loading: DeliveryKeys()) { state in
                DeliveryDecision(changes: DeliveryChanges(lastCommit: state.lastCommit), value: state.lastCommit)
            }
            #expect(seen == 1, "its number is not assigned again")
            #expect(storage.opening?.lastCommit == (step == .sync ? 1 : 0))
        }
        let named = storage.opening?.lastCommit
        storage.close()
        let next = try SQLiteHubStorage(path: path)
        try await next.beginOpening(Array(repeating: 2, count: 16))
        #expect(try await next.lastCommit(ofOpening: opening) == named)
    }
}
