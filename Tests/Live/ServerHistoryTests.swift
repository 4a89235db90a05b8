import CausewayLive
import Testing

/// Random histories of windows with a server that fails and grows: what is fresh has no holes, and whoever pages comes
/// to see everything.
struct ServerHistoryTests {
    @Test(arguments: 0..<4)
    func whatIsFreshHasNoHoles(part: Int) async throws {
        let count = HistoryTests.share(of: HistoryTests.setting("LIVE_SERVERS", 240), part: part, of: 4)
        var failures = 0
        for seed in count {
            do {
                try await ServerHistory(seed: UInt64(seed)).run()
            } catch {
                Issue.record(error)
                failures += 1
                if failures > 3 { return }
            }
            await Task.yield()
        }
    }

    @Test(arguments: LiveFault.allCases.filter(\.isOfServer))
    func aFaultIsFound(_ fault: LiveFault) async {
        for seed in UInt64(0)..<500 {
            do {
                try await ServerHistory(seed: seed, plantedFault: fault).run()
            } catch {
                return
            }
        }
        Issue.record("\(fault) was found by none of 500 histories")
    }
}
