import CausewayStorage
import Testing

/// A history proves something only if it detects faults. Those of the evaluation itself are planted in its source:
/// `make mutants`.
struct PlantedFaultTests {
    @Test(arguments: StoreFault.allCases)
    func isFound(_ fault: StoreFault) async {
        for seed in UInt64(0)..<200 {
            do {
                try await LiveHistory(seed: seed, fault: fault).run { MemoryStore() }
            } catch {
                return
            }
        }
        Issue.record("\(fault) was found by none of 200 histories")
    }

    @Test(arguments: StoreFault.allCases)
    @MainActor func isFoundOnTheMainActor(_ fault: StoreFault) {
        for seed in UInt64(0)..<200 {
            do {
                try ScreenHistory(seed: seed, fault: fault).run()
            } catch {
                return
            }
        }
        Issue.record("\(fault) was found by none of 200 histories")
    }

    @Test(arguments: RandomRemote.Fault.allCases)
    func isFound(_ fault: RandomRemote.Fault) async {
        for seed in UInt64(0)..<200 {
            do {
                try await ServedHistory(seed: seed, fault: fault).run()
            } catch {
                return
            }
        }
        Issue.record("\(fault) was found by none of 200 histories")
    }
}
