import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Testing

/// Every call to the disk fails in turn, once and for ever; the power fails after each.
///
/// `POWER_FAILURES` and `DISK_MESSAGES` set how often and how long; see `Tools/torture-disk`.
struct FaultTests {
    private static let powerFailures = TortureSettings.number("POWER_FAILURES", 60)
    private static let messages = TortureSettings.number("DISK_MESSAGES", 8)

    /// Runs a whole life of a store: made, used, maintained, closed.
    private func live(_ disk: FaultyDisk, _ history: inout History, _ durability: Durability = .full) async {
        do throws(StoreError) {
            // So few zeros ahead that they are written again and again.
            let store = try await FileStore.open(
                on: disk, durability: durability, options: FileOptions(journalBytesAhead: 1_024))
            do throws(StoreError) { _ = try await store.start(History.options) } catch {
                // A store whose start failed may start again.
                _ = try? await store.start(History.options)
            }
            await history.live(store, count: Self.messages, hasEvents: durability == .full)
            await store.close()
        } catch {}
    }

    private func check(_ disk: FaultyDisk, _ history: History, _ context: String) async throws {
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        #expect(try await history.losses(in: store) == [], "\(context)")
        #expect(store.recovery.loss == nil, "\(context)")
        // The store goes on.
        _ = try await store.enqueue(History.draft(1_000))
        await store.close()
    }

    @Test func everyCallFailsInTurn() async throws {
        let counted = FaultyDisk()
        var clean = History()
        await live(counted, &clean)
        #expect(clean.open.isEmpty)
        var sweep = FaultSweep(counted.counts)
        for faults in sweep.runs {
            let disk = FaultyDisk()
            disk.set(faults)
            var history = History()
            await live(disk, &history)
            try await check(disk.afterPowerFailure { false }, history, "\(faults), power lost")
            try await check(disk.copy(), history, "\(faults), killed")
            sweep.note(faults, disk.hits)
        }
        print("file store:", sweep.summary, "of \(counted.callCount) calls")
        for call in FaultyDisk.Call.allCases { #expect(sweep.visited[call, default: 0] > 0, "\(call)") }
        #expect(!TortureSettings.isComplete || sweep.visitedCount >= 2_500)
    }

    /// After a failed sync nothing is acknowledged until everything unsynced was written again: the system may have
    /// dropped it, although it still reads it back.
    @Test(arguments: [Durability.full, .normal])
    func whatFollowsAFailedSyncIsWrittenAgain(_ durability: Durability) async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: durability)
        _ = try await store.start(History.options)
        for number in 0..<3 { _ = try await store.enqueue(History.draft(number)) }
        disk.set([.init(call: .sync, number: disk.counts[.sync, default: 0] + 1, kind: .broken, isLasting: false)])
        var acknowledged = [0, 1, 2]
        if durability == .full {
            await #expect(throws: StoreError.self) { _ = try await store.enqueue(History.draft(3)) }
        } else {
            // Under `normal` only maintenance syncs.
            await #expect(throws: StoreError.self) { try await store.maintain(.snapshot) }
        }
        #expect(disk.hits == [.sync])
        _ = try await store.enqueue(History.draft(4))
        acknowledged.append(4)
        if durability == .normal { try await store.maintain(.snapshot) }
        let after = try await FileStore.open(on: disk.afterPowerFailure { false }, durability: .full)
        _ = try await after.start(History.options)
        let found = try await after.page(MessageQuery(scope: .undelivered)).messages.map(\.id)
        #expect(found == acknowledged.map(History.id))
        await after.close()
        await store.close()
    }

    /// The rows of a transaction that the disk refused are forgotten: later changes start from what is stored.
    @Test(arguments: [FaultyDisk.Call.write, .sync])
    func aRefusedCommitLeavesNoRowBehind(_ call: FaultyDisk.Call) async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        _ = try await store.enqueue(History.draft(0))
        let failNext = {
            disk.set([.init(call: call, number: disk.counts[call, default: 0] + 1, kind: .broken, isLasting: false)])
        }
        let fails = [0, 1].map { Mutation.fail(History.id($0), History.options.failure, inDoubt: false) }
        failNext()
        await #expect(throws: StoreError.self) {
            try await store.commit([.attempt(History.id(0), previous: 0, attempts: 1, at: History.time)])
        }
        try await store.commit([fails[0]])
        let message = try #require(try await store.message(History.id(0)))
        #expect(message.syncState == .error)
        #expect(message.delivery.attempts == 0)
        #expect(message.delivery.previousSequence == nil)
        // A message that was never created cannot fail.
        failNext()
        await #expect(throws: StoreError.self) { _ = try await store.enqueue(History.draft(1)) }
        try await store.commit([fails[1]])
        #expect(try await store.message(History.id(1)) == nil)
        await store.close()
    }

    /// - Parameter ignored: calls that the disk only pretends to make.
    /// - Returns: the number of acknowledged messages that were lost; a store that is refused has lost all of them.
    private func losses(
        _ durability: Durability, seeds: Range<UInt64>, ignoring ignored: Set<FaultyDisk.Call> = []
    ) async throws -> Int {
        let counted = FaultyDisk()
        var clean = History()
        await live(counted, &clean, durability)
        var lost = 0
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            let disk = FaultyDisk(ignoring: ignored)
            disk.failPower(after: Int(random.next() % UInt64(counted.callCount)))
            var history = History()
            await live(disk, &history, durability)
            let share = random.next() % 4
            let after = disk.afterPowerFailure { random.next() % 4 < share }
            let store: FileStore
            do throws(StoreError) { store = try await FileStore.open(on: after, durability: durability) } catch {
                guard case .damaged = error, !ignored.isEmpty else { throw error }
                lost += history.acknowledged.count
                continue
            }
            _ = try await store.start(History.options)
            let losses = try await history.losses(in: store)
            if durability == .full, ignored.isEmpty { #expect(losses == [], "seed \(seed)") }
            if ignored.isEmpty { #expect(store.recovery.loss == nil, "seed \(seed)") }
            lost += losses.count
            await store.close()
        }
        return lost
    }

    @Test func noPowerFailureLosesWhatWasAcknowledged() async throws {
        #expect(try await losses(.full, seeds: 0..<UInt64(Self.powerFailures)) == 0)
        print("file store: \(Self.powerFailures) power failures")
    }

    /// The control arm: without a sync for each commit messages are lost, so the test above can see a loss.
    @Test func withoutSyncsAPowerFailureLosesMessages() async throws {
        #expect(try await losses(.normal, seeds: 0..<20) > 0)
    }

    /// Another one: the store asks for every sync, and the disk makes none.
    @Test func aDiskThatIgnoresSyncsLosesMessages() async throws {
        #expect(try await losses(.full, seeds: 0..<20, ignoring: [.sync]) > 0)
    }
}

extension History {
    /// Runs on a file store, with a snapshot and a compaction on the way.
    mutating func live(_ store: FileStore, count: Int = 12, hasEvents: Bool = false) async {
        await run(store, count: count, hasEvents: hasEvents) { number in
            if number == count / 3 { try? await store.maintain(.snapshot) }
            if number == count / 2 { try? await store.maintain(.compaction) }
        }
    }
}
