import CausewayLiveQuery
import CausewayStorage
import Testing

/// A history proves something only if it detects faults.
struct PlantedFaultTests {
    @Test(arguments: LiveFault.allCases.filter { $0 != .tearsFrames && !$0.isOfServer })
    func isFound(_ fault: LiveFault) async {
        for seed in UInt64(0)..<2000 {
            do {
                try await LiveHistory(seed: seed, plantedFault: fault).run { MemoryStore() }
            } catch {
                return
            }
        }
        Issue.record("\(fault) was found by none of 2,000 histories")
    }
}
