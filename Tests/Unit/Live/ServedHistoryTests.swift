import Testing

/// Random histories of windows with a server that fails and grows: fresh lists have no gaps, no account is shown
/// another's records, and paging eventually shows everything.
struct ServedHistoryTests {
    @Test func whatIsFreshHasNoHoles() async throws {
        let count = HistoryTests.setting("LIVE_SERVERS", 240)
        let strikes = await withTaskGroup { group in
            for part in 0..<4 { group.addTask { await Self.strikes(of: count, part: part) } }
            return await group.reduce(into: Strikes()) { $0.add($1) }
        }
        #expect(strikes.missing.isEmpty, "\(strikes.missing) never struck; \(strikes)")
    }

    private static func strikes(of count: Int, part: Int) async -> Strikes {
        var failures = 0
        var strikes = Strikes()
        for seed in HistoryTests.share(of: count, part: part, of: 4) {
            do {
                strikes.add(try await ServedHistory(seed: UInt64(seed)).run())
            } catch {
                Issue.record(error)
                failures += 1
                if failures > 3 { break }
            }
            await Task.yield()
        }
        return strikes
    }
}
