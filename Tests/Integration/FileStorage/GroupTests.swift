import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Dispatch
import Synchronization
import Testing

/// The formation of groups: calls that share one write and one sync.
struct GroupTests {
    /// Jobs run on a queue of their own, so that a blocked one occupies no thread of the shared pool.
    private final class QueueExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "causeway.test.group")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        /// Returns when the tasks are suspended elsewhere: a job that continues on this executor is in the queue before
        /// the one that it follows has ended, and a call of a store has fewer than twenty.
        func drain() { for _ in 0..<20 { queue.sync {} } }
    }

    /// The creation of message 1 by another thread, which arrives while a commit is computed.
    private final class LateCall: Sendable {
        private let executor = QueueExecutor()
        private let task = Mutex<Task<Message, any Error>?>(nil)

        init(_ store: FileStore, _ disk: FaultyDisk) {
            disk.beforeNextRead { [self] in
                task.withLock { task in
                    task = Task(executorPreference: executor) { try await store.enqueue(History.draft(1)) }
                }
                executor.drain()
            }
        }

        func value() async throws -> Message { try await #require(task.withLock { $0 }).value }
    }

    /// A store with message 0, which it must read from the disk to delete it.
    private func store(on disk: FaultyDisk) async throws -> FileStore {
        let first = try await FileStore.open(on: disk, durability: .full)
        _ = try await first.start(History.options)
        _ = try await first.enqueue(History.draft(0))
        await first.close()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        return store
    }

    private func delete(from store: FileStore) async throws {
        try await Task(executorPreference: QueueExecutor()) { try await store.commit([.delete(History.id(0))]) }.value
    }

    @Test func aCallThatArrivesWhileAGroupIsComputedJoinsIt() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk)
        let late = LateCall(store, disk)
        let syncs = disk.counts[.sync, default: 0]
        try await delete(from: store)
        #expect(try await late.value().id == History.id(1))
        #expect(disk.counts[.sync] == syncs + 1)
        await store.close()
        // Both are durable.
        let again = try await FileStore.open(on: disk.afterPowerFailure { false }, durability: .full)
        _ = try await again.start(History.options)
        #expect(try await again.messages([0, 1].map { History.id($0) }).map(\.id) == [History.id(1)])
        await again.close()
    }

    /// If the disk fails, the call that has joined fails with the others.
    @Test func aCallThatJoinedAGroupFailsWithIt() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk)
        let late = LateCall(store, disk)
        let writes = disk.counts[.write, default: 0]
        disk.set([.init(call: .write, number: writes + 1, kind: .full, isLasting: false)])
        await #expect(throws: StoreError.self) { try await delete(from: store) }
        await #expect(throws: StoreError.self) { try await late.value() }
        #expect(try await store.messages([0, 1].map { History.id($0) }).map(\.id) == [History.id(0)])
        await store.close()
    }
}
