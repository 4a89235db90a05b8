import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// Every call of SQLite to its files, and of the store to their folder, fails in turn, once and for ever; the power
/// fails after each.
///
/// `Tools/torture-disk` runs all of it; without it these are samples.
struct FaultTests {
    private static let powerFailures = TortureSettings.number("SQLITE_POWER_FAILURES", 10)
    private static let messages = TortureSettings.number("SQLITE_MESSAGES", 6)
    private static let samples = TortureSettings.isComplete ? nil : 1

    private let folder: TemporaryFolder

    /// Durability is decided by the disk beside the files.
    init() throws { folder = try TemporaryFolder(.memory) }

    /// Runs a whole life of a store: made, used, its log cut, closed.
    ///
    /// - Parameter calls: the power fails after so many calls.
    /// - Returns: the folder.
    private func live(
        _ disk: FaultyDisk, _ history: inout History, _ durability: Durability = .full,
        powerFailsAfter calls: Int? = nil
    ) async -> String {
        let path = folder.fresh()
        if let calls {
            disk.failPower(after: calls) {
                // The store withdraws its note when it is closed.
                try? FileManager.default.copyItem(atPath: path + "/log-end", toPath: path + "/log-end.last")
            }
        }
        FaultyFiles.attach(disk, to: path)
        defer { FaultyFiles.detach(path) }
        do throws(StoreError) {
            let options = SQLiteOptions(logBytesMax: 40_000, beforeFolderAccess: FaultyFiles.change)
            let store = try await SQLiteStore.open(at: path, durability: durability, options: options)
            do throws(StoreError) { _ = try await store.start(History.options) } catch {
                // A store whose start failed may start again.
                _ = try? await store.start(History.options)
            }
            await history.run(store, count: Self.messages, hasEvents: durability == .full)
            await store.close()
        } catch {}
        return path
    }

    /// Opens what a disk has left, with the note of the log's end as it was last, and returns the losses.
    private func losses(
        _ disk: FaultyDisk, _ path: String, _ history: History, _ durability: Durability = .full
    ) async throws -> (messages: [String], isReported: Bool) {
        let copy = folder.fresh()
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        for (name, bytes) in disk.files { try Data(bytes).write(to: URL(fileURLWithPath: copy + "/" + name)) }
        let last = path + "/log-end.last"
        let note = FileManager.default.fileExists(atPath: last) ? last : path + "/log-end"
        try? FileManager.default.copyItem(atPath: note, toPath: copy + "/log-end")
        let store = try await SQLiteStore.open(at: copy, durability: durability)
        let snapshot = try await store.start(History.options)
        let losses = try await history.losses(in: store)
        // The store goes on.
        _ = try await store.enqueue(History.draft(1_000))
        await store.close()
        try? FileManager.default.removeItem(atPath: copy)
        return (losses, snapshot.loss != nil)
    }

    @Test func everyCallFailsInTurn() async throws {
        let counted = FaultyDisk()
        var clean = History()
        _ = await live(counted, &clean)
        #expect(clean.errors.isEmpty)
        var sweep = FaultSweep(counted.counts, samples: Self.samples)
        for faults in sweep.runs {
            let disk = FaultyDisk()
            disk.set(faults)
            var history = History()
            let path = await live(disk, &history)
            for (disk, end) in [(disk.afterPowerFailure { false }, "power lost"), (disk.copy(), "killed")] {
                do {
                    let (messages, isReported) = try await losses(disk, path, history)
                    #expect(messages == [] && !isReported, "\(faults), \(end)")
                } catch {
                    Issue.record("\(faults), \(end): \(error)")
                }
            }
            sweep.note(faults, disk.hits)
            try? FileManager.default.removeItem(atPath: path)
        }
        print("sqlite store:", sweep.summary, "of \(counted.callCount) calls")
        for call in FaultyDisk.Call.allCases { #expect(sweep.visited[call, default: 0] > 0, "\(call)") }
        #expect(!TortureSettings.isComplete || sweep.visitedCount >= 2_500)
    }

    /// A sync that fails once, and the verification after it: the commit that failed never appears, and everything
    /// acknowledged later survives, although the system has dropped what it could not write.
    @Test func aFailedSyncIsFollowedByAVerification() async throws {
        let disk = FaultyDisk()
        let path = folder.fresh()
        FaultyFiles.attach(disk, to: path)
        defer { FaultyFiles.detach(path) }
        let store = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await store.start(History.options)
        var history = History()
        for number in 0..<3 { history.acknowledged.append(try await store.enqueue(History.draft(number)).id) }
        disk.set([.init(call: .sync, number: disk.counts[.sync, default: 0] + 1, kind: .broken, isLasting: false)])
        do throws(StoreError) {
            _ = try await store.enqueue(History.draft(3, bytes: 9_000))
            Issue.record("it was acknowledged")
        } catch {
            guard case .syncFailed = error else { throw error }
        }
        #expect(disk.hits == [.sync])
        for number in 4..<6 { history.acknowledged.append(try await store.enqueue(History.draft(number)).id) }
        #expect(try await store.message(History.id(3)) == nil)
        let (messages, isReported) = try await losses(disk.afterPowerFailure { false }, path, history)
        #expect(messages == [] && !isReported)
        await store.close()
    }

    /// The sync before the log is cut fails, and drops commits that nobody waited for: a later one rests on them.
    @Test func aFailedSyncOfACutIsFollowedByAVerification() async throws {
        let disk = FaultyDisk()
        let path = folder.fresh()
        FaultyFiles.attach(disk, to: path)
        defer { FaultyFiles.detach(path) }
        let options = SQLiteOptions(logBytesMax: 200_000)
        let store = try await SQLiteStore.open(at: path, durability: .full, options: options)
        _ = try await store.start(History.options)
        var history = History()
        history.acknowledged.append(try await store.enqueue(History.draft(0)).id)
        disk.failNext(1, .sync)
        // The only sync is that of the cut.
        for number in 1..<100 where disk.hits.isEmpty {
            let draft = OperationDraft(History.draft(number, bytes: 9_000))
            try await store.commit([.enqueue(draft)], durability: .normal)
        }
        #expect(disk.hits == [.sync])
        history.acknowledged.append(try await store.enqueue(History.draft(2_000)).id)
        let (messages, isReported) = try await losses(disk.afterPowerFailure { false }, path, history)
        #expect(messages == [] && !isReported)
        await store.close()
    }

    /// The next process reads back the frames that a failed sync dropped, and later commits rest on them.
    @Test func whatWasDroppedIsWrittenAgainAfterARestart() async throws {
        let disk = FaultyDisk()
        let path = folder.fresh()
        FaultyFiles.attach(disk, to: path)
        defer { FaultyFiles.detach(path) }
        let former = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await former.start(History.options)
        var history = History()
        history.acknowledged.append(try await former.enqueue(History.draft(0)).id)
        try await former.commit([.setEventCursor(EventCursor(rawValue: "1"))], durability: .normal)
        disk.failNext(1, .sync)
        await #expect(throws: StoreError.self) { _ = try await former.enqueue(History.draft(1)) }
        #expect(disk.hits == [.sync])
        // It is killed here: its files are copied, with what the disk has of them.
        let (next, copy) = (disk.afterKill(), folder.fresh())
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        for name in ["store.sqlite", "store.sqlite-wal", "log-end"] {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy + "/" + name)
        }
        FaultyFiles.attach(next, to: copy)
        defer { FaultyFiles.detach(copy) }
        let store = try await SQLiteStore.open(at: copy, durability: .full)
        _ = try await store.start(History.options)
        history.acknowledged.append(try await store.enqueue(History.draft(2)).id)
        let (messages, isReported) = try await losses(next.afterPowerFailure { false }, copy, history)
        #expect(messages == [] && !isReported)
        await store.close()
        await former.close()
    }

    /// Until a store has been opened for the first time there is nothing to lose, and nothing may keep it from opening.
    @Test func thePowerFailsWhileAStoreIsMade() async throws {
        let calls = try await callsOfOpening()
        let step = TortureSettings.isComplete ? 1 : max(1, calls / 10)
        for number in stride(from: 0, through: calls, by: step) {
            for drops in [true, false] {
                let disk = FaultyDisk()
                var history = History()
                let path = await live(disk, &history, powerFailsAfter: number)
                do {
                    let after = disk.afterPowerFailure { !drops }
                    let (messages, isReported) = try await losses(after, path, history)
                    #expect(messages == [] && !isReported)
                } catch {
                    Issue.record("\(number) calls: \(error)")
                }
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }

    /// The number of calls until a new store is started.
    private func callsOfOpening() async throws -> Int {
        let disk = FaultyDisk()
        let path = folder.fresh()
        FaultyFiles.attach(disk, to: path)
        defer { FaultyFiles.detach(path) }
        let options = SQLiteOptions(beforeFolderAccess: FaultyFiles.change)
        let store = try await SQLiteStore.open(at: path, durability: .full, options: options)
        _ = try await store.start(History.options)
        let calls = disk.callCount
        await store.close()
        return calls
    }

    /// - Parameter ignored: calls that the disk only pretends to make.
    /// - Returns: the numbers of acknowledged messages that were lost, and of openings that reported a loss; a store
    ///   that is refused has lost all of them, and reports it.
    private func losses(
        _ durability: Durability, seeds: Range<UInt64>, ignoring ignored: Set<FaultyDisk.Call> = []
    ) async throws -> (lost: Int, reported: Int) {
        let counted = FaultyDisk()
        var clean = History()
        _ = await live(counted, &clean, durability)
        let opening = try await callsOfOpening()
        var (lost, reported) = (0, 0)
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            let disk = FaultyDisk(ignoring: ignored)
            let calls = opening + Int(random.next() % UInt64(max(1, counted.callCount - opening)))
            var history = History()
            let path = await live(disk, &history, durability, powerFailsAfter: calls)
            let share = random.next() % 4
            let after = disk.afterPowerFailure { random.next() % 4 < share }
            defer { try? FileManager.default.removeItem(atPath: path) }
            do {
                let (messages, isReported) = try await losses(after, path, history, durability)
                if durability == .full, ignored.isEmpty { #expect(messages == [] && !isReported, "seed \(seed)") }
                lost += messages.count
                reported += isReported ? 1 : 0
            } catch let error as StoreError where !ignored.isEmpty {
                guard case .damaged = error else { throw error }
                (lost, reported) = (lost + history.acknowledged.count, reported + 1)
            }
        }
        return (lost, reported)
    }

    @Test func noPowerFailureLosesWhatWasAcknowledged() async throws {
        #expect(try await losses(.full, seeds: 0..<UInt64(Self.powerFailures)) == (0, 0))
        print("sqlite store: \(Self.powerFailures) power failures")
    }

    /// The control arm: without a sync for each commit messages are lost, so the test above can see a loss; and the
    /// store notices.
    @Test func withoutSyncsAPowerFailureLosesMessages() async throws {
        let (lost, reported) = try await losses(.normal, seeds: 0..<12)
        #expect(lost > 0 && reported > 0)
    }

    /// Another one: the store asks for every sync, and the disk makes none.
    @Test func aDiskThatIgnoresSyncsLosesMessages() async throws {
        #expect(try await losses(.full, seeds: 0..<12, ignoring: [.sync]).lost > 0)
    }
}
