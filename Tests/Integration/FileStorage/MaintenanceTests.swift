import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Synchronization
import Testing

/// Snapshots and compactions that fail, and several of them at once.
struct MaintenanceTests {
    /// A compaction that fails after it has moved everything leaves a longer journal behind: the next one waits until
    /// as much was written again.
    @Test func aFailedCompactionIsNotRepeatedAtOnce() async throws {
        let disk = FaultyDisk()
        let options = FileOptions(snapshotJournalBytes: 1_000, compactionBytesMin: 30_000, perform: { $0() })
        let store = try await FileStore.open(on: disk, durability: .normal, options: options)
        _ = try await store.start(History.options)
        for number in 0..<20 { _ = try await store.enqueue(History.draft(number, bytes: 1_000)) }
        // No snapshot can be put into its place.
        disk.set([.init(call: .rename, number: 1, kind: .broken, isLasting: true)])
        let before = disk.files.values.reduce(0) { $0 + $1.count }
        let renames = disk.counts[.rename, default: 0]
        let (commits, size) = (60, 1_000)
        for number in 0..<commits {
            _ = try await store.enqueue(History.draft(100 + number, bytes: size))
            try await store.commit([.delete(History.id(100 + number))])
        }
        #expect(store.maintained.failure != nil && store.maintained.compactions == 0)
        let failures = disk.counts[.rename, default: 0] - renames
        let written = disk.files.values.reduce(0) { $0 + $1.count } - before
        #expect(failures >= 2 && failures <= 6, "\(failures) failures")
        // The commits, with their deletions, and as much again for what failed.
        #expect(written <= 2 * commits * (size + 400) + 40_000, "\(written) bytes")
        disk.set([])
        for number in 0..<60 { _ = try await store.enqueue(History.draft(1_000 + number, bytes: size)) }
        for number in 0..<60 { try await store.commit([.delete(History.id(1_000 + number))]) }
        #expect(store.maintained.compactions >= 1)
        await store.close()
    }

    /// A failure while the journal was long delays nothing after it was compacted.
    @Test func aCompactionEndsTheDelayAfterAFailure() async throws {
        let disk = FaultyDisk()
        let options = FileOptions(snapshotJournalBytes: 1_000, compactionBytesMin: 30_000, perform: { $0() })
        let store = try await FileStore.open(on: disk, durability: .normal, options: options)
        _ = try await store.start(History.options)
        for number in 0..<200 { _ = try await store.enqueue(History.draft(number, bytes: 1_000)) }
        disk.set([.init(call: .rename, number: 1, kind: .broken, isLasting: true)])
        for number in 200..<240 { _ = try await store.enqueue(History.draft(number, bytes: 1_000)) }
        #expect(store.maintained.failure != nil)
        disk.set([])
        for number in 0..<240 { try await store.commit([.delete(History.id(number))]) }
        try await store.maintain(.compaction)
        let compactions = store.maintained.compactions
        // Far less than was written before the failure, and most of it is no longer needed.
        for number in 1_000..<1_150 {
            _ = try await store.enqueue(History.draft(number, bytes: 1_000))
            try await store.commit([.delete(History.id(number))])
        }
        #expect(store.maintained.compactions > compactions)
        await store.close()
    }

    /// Works that are requested wait for the one under way.
    @Test func aRequestedWorkWaitsForTheOneUnderWay() async throws {
        let disk = FaultyDisk()
        let steps = HeldSteps()
        let options = FileOptions(perform: { steps.add($0) })
        let store = try await FileStore.open(on: disk, durability: .full, options: options)
        _ = try await store.start(History.options)
        for number in 0..<3 { _ = try await store.enqueue(History.draft(number)) }
        let snapshot = Task { try await store.maintain(.snapshot) }
        try await Eventually.holds("the snapshot waits") { steps.isWaiting }
        let compactions = (0..<2).map { _ in Task { try await store.maintain(.compaction) } }
        try await Eventually.holds("everything is done") {
            steps.performAll()
            return store.maintained.compactions == 2
        }
        try await snapshot.value
        for compaction in compactions { try await compaction.value }
        #expect(store.maintained.failure == nil)
        await store.close()
    }

    /// A compaction of several steps tells how far it is.
    @Test func aCompactionReportsItsProgress() async throws {
        let store = try await FileStore.open(on: FaultyDisk(), durability: .normal, options: FileOptions())
        _ = try await store.start(History.options)
        for number in 0..<60 { _ = try await store.enqueue(History.draft(number, bytes: 30_000)) }
        let reported = Mutex<[Double]>([])
        try await store.maintain(.compaction) { done in reported.withLock { $0.append(done) } }
        let parts = reported.withLock { $0 }
        #expect(parts.count { $0 > 0 && $0 < 1 } >= 3)
        #expect(parts == parts.sorted() && parts.allSatisfy { (0...1).contains($0) })
        await store.close()
    }
}
