import CausewayLiveQuery
import CausewayModels
import Testing

/// Random histories of screens: the displayed state and the reported changes on the main actor, with arbitrary actions
/// in callbacks.
@MainActor struct ScreenTests {
    @Test(arguments: 0..<4)
    func everyScreenShowsTheTruth(part: Int) throws {
        let share = HistoryTests.share(of: HistoryTests.setting("LIVE_SCREENS", 400), part: part, of: 4)
        for seed in share { try ScreenHistory(seed: UInt64(seed)).run() }
    }

    /// The stores of these histories do not fail.
    @Test(arguments: LiveFault.allCases.filter { ![.neverRefills, .neverReadsAgain].contains($0) && !$0.isOfServer })
    func aFaultIsFound(_ fault: LiveFault) {
        for seed in UInt64(0)..<400 {
            do {
                try ScreenHistory(seed: seed, plantedFault: fault).run()
            } catch {
                return
            }
        }
        Issue.record("\(fault) was found by none of 400 histories")
    }
}
