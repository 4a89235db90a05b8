import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Foundation
import Testing

/// Random histories of writers, windows and readers: every change passed to a reader is compared with the contents of
/// the store at its version.
///
/// `LIVE_HISTORIES` and `LIVE_DISK_HISTORIES` set their number, `LIVE_SEED` the first one; `Tools/live-histories` runs
/// them at length.
struct HistoryTests {
    static func setting(_ name: String, _ standard: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
    }

    /// The seeds of one part of the histories: at least one, or the test would prove nothing.
    static func share(of count: Int, part: Int, of parts: Int) -> Range<Int> {
        let first = setting("LIVE_SEED", 0)
        let start = part * count / parts
        return (first + start)..<(first + max(start + 1, (part + 1) * count / parts))
    }

    @Test(arguments: 0..<4)
    func everyReaderSeesTheTruth(part: Int) async throws {
        await live(through: Self.setting("LIVE_HISTORIES", 2_000), part: part, of: 4) { MemoryStore() }
    }

    @Test(arguments: 0..<4)
    func everyReaderOfAFileStoreSeesTheTruth(part: Int) async throws {
        await live(through: Self.setting("LIVE_FILE_HISTORIES", 40), part: part, of: 4) {
            try StoreKind.file.makeSimulated()
        }
    }

    @Test(arguments: [StoreKind.sqlite, .file], 0..<4)
    func everyReaderOfAStoreOnDiskSeesTheTruth(_ kind: StoreKind, part: Int) async throws {
        let folder = try StoreFolder()
        let count = Self.setting("LIVE_DISK_HISTORIES", 100) / (kind == .sqlite ? 1 : 4)
        await live(through: count, part: part, of: 4) { try await kind.make(in: folder) }
    }

    private func live(through count: Int, part: Int, of parts: Int, _ make: LiveHistory.MakeStore) async {
        var failures = 0
        for seed in Self.share(of: count, part: part, of: parts) {
            do {
                try await LiveHistory(seed: UInt64(seed)).run(on: make)
            } catch {
                Issue.record(error)
                failures += 1
                if failures > 3 { return }
            }
            // Gives other tasks a randomness to use the thread.
            await Task.yield()
        }
    }
}
