import CausewayFileStorage
import CausewayModels
import CausewayStorage
import Foundation
import Testing

/// Every call to the disk fails in turn, once and for ever; the power fails after each.
///
/// `POWER_FAILURES` and `DISK_MESSAGES` set how often and how long; see `Tools/torture-disk`.
struct FaultTests {
    private static func setting(_ name: String, _ byDefault: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? byDefault
    }

    private static let powerFailures = setting("POWER_FAILURES", 60)
    private static let messages = setting("DISK_MESSAGES", 8)

    /// Runs a whole life of a store: made, used, maintained, closed.
    private func live(_ disk: FaultyDisk, _ history: inout History, _ durability: Durability = .full) async {
        do throws(StoreError) {
            let store = try await FileStore.open(on: disk, durability: durability)
            do throws(StoreError) { _ = try await store.start(History.options) } catch {
                // A store whose start failed may start again.
                _ = try? await store.start(History.options)
            }
            await history.run(store, count: Self.messages)
            await store.close()
        } catch {}
    }

    private func check(_ disk: FaultyDisk, _ history: History, _ context: String) async throws {
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        try await history.check(store, context)
        // The store goes on.
        _ = try await store.enqueue(History.draft(1_000))
        await store.close()
    }

    @Test func everyCallFailsInTurn() async throws {
        let counted = FaultyDisk()
        var clean = History()
        await live(counted, &clean)
        #expect(clean.open.isEmpty)
        var visited: [FaultyDisk.Call: Int] = [:]
        for call in FaultyDisk.Call.allCases where call != .truncate {
            for number in 1...counted.counts[call, default: 1] {
                for kind in FaultyDisk.Fault.Kind.allCases where kind != .short || call == .write {
                    for isLasting in [false, true] {
                        let fault = FaultyDisk.Fault(call: call, number: number, kind: kind, isLasting: isLasting)
                        for hit in try await fail([fault]) { visited[hit, default: 0] += 1 }
                        guard call == .write else { continue }
                        // The remains of a failed write cannot be removed either.
                        let cut = FaultyDisk.Fault(call: .truncate, number: 1, kind: .broken, isLasting: isLasting)
                        for hit in try await fail([fault, cut]) where hit == .truncate { visited[hit, default: 0] += 1 }
                    }
                }
            }
        }
        print(
            "file store: fault points visited", visited.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        )
        for call in FaultyDisk.Call.allCases { #expect(visited[call, default: 0] > 0, "\(call)") }
    }

    /// Runs a life with these failures, and checks what is found after the power is lost, and after a kill.
    ///
    /// - Returns: the kinds of calls that have failed.
    private func fail(_ faults: [FaultyDisk.Fault]) async throws -> Set<FaultyDisk.Call> {
        let disk = FaultyDisk()
        disk.set(faults)
        var history = History()
        await live(disk, &history)
        try await check(disk.afterPowerFailure { false }, history, "\(faults), power lost")
        try await check(disk.copy(), history, "\(faults), killed")
        return disk.hits
    }

    /// - Returns: the number of acknowledged messages that were lost.
    private func losses(_ durability: Durability, seeds: Range<UInt64>) async throws -> Int {
        let counted = FaultyDisk()
        var clean = History()
        await live(counted, &clean, durability)
        var lost = 0
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            let disk = FaultyDisk()
            disk.failPower(after: Int(random.next() % UInt64(counted.callCount)))
            var history = History()
            await live(disk, &history, durability)
            let share = random.next() % 4
            let after = disk.afterPowerFailure { random.next() % 4 < share }
            let store = try await FileStore.open(on: after, durability: durability)
            _ = try await store.start(History.options)
            if durability == .full { try await history.check(store, "seed \(seed)") }
            lost += try await history.missing(store)
            await store.close()
        }
        return lost
    }

    @Test func noPowerFailureLosesWhatWasAcknowledged() async throws {
        #expect(try await losses(.full, seeds: 0..<UInt64(Self.powerFailures)) == 0)
    }

    /// The control arm: without a sync for each commit messages are lost, so the test above can see a loss.
    @Test func withoutSyncsAPowerFailureLosesMessages() async throws {
        #expect(try await losses(.normal, seeds: 0..<20) > 0)
    }
}
