import CausewayLive
import CausewayModels
import CausewayStorage
import Foundation
import Testing

/// Random histories of writers, windows and readers: every change that a reader is given is checked against what the
/// store held at its version.
///
/// `LIVE_HISTORIES` sets how many; `LIVE_SEED` the first.
struct HistoryTests {
    static func setting(_ name: String, _ standard: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
    }

    @Test(arguments: 0..<4)
    func everyReaderSeesTheTruth(part: Int) async throws {
        let count = Self.setting("LIVE_HISTORIES", 2000) / 4
        let first = Self.setting("LIVE_SEED", 0) + part * count
        var failures = 0
        for seed in first..<(first + count) {
            do {
                try await LiveHistory(seed: UInt64(seed)).run { MemoryStore() }
                // Others may need the thread.
                await Task.yield()
            } catch {
                Issue.record(error)
                failures += 1
                if failures > 3 { return }
            }
        }
    }
}
