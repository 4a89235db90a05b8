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
}
