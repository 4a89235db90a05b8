import CausewayHubRules
import CausewayModels
import Testing

@Suite struct HistoryRulesTests {
    private static func judge(
        isOfPresent: Bool = true, floor: Int64 = 0, commit: Int64, present: Int64 = 0, last: Int64?
    ) -> HistoryRules.Verdict {
        HistoryRules.judge(
            HistoryRules.Claim(isOfPresentHistory: isOfPresent, floor: floor, commit: commit), floor: present,
            lastCommit: last)
    }

    @Test func whatAnOpeningHadTakenInIsHere() {
        #expect(Self.judge(commit: 7, last: 7) == .current)
        #expect(Self.judge(commit: 7, last: 9) == .current)
        #expect(Self.judge(isOfPresent: false, commit: 7, present: 1 << 33, last: 9) == .changed)
    }

    @Test func anOpeningThatEndedEarlierOrIsUnknownWasLost() {
        #expect(Self.judge(commit: 8, last: 7) == .lost(floor: 0))
        #expect(Self.judge(commit: 0, last: nil) == .lost(floor: 0))
        #expect(Self.judge(floor: 1 << 33, commit: 3, present: 1 << 33, last: nil) == .lost(floor: 1 << 33))
    }

    /// One loss starts one history, however many clients prove it.
    @Test func aLossThatAHistoryFollowedIsNoneOfThePresentOne() {
        #expect(Self.judge(isOfPresent: false, commit: 8, present: 1 << 33, last: 7) == .changed)
        #expect(Self.judge(isOfPresent: false, floor: 1 << 33, commit: 8, present: 1 << 34, last: nil) == .changed)
    }

    /// The history that was lost with the data assigned the same positions as the present one.
    @Test func aLostHistoryOfTheSameFloorBeginsAnother() {
        let same = Self.judge(isOfPresent: false, floor: 1 << 33, commit: 1, present: 1 << 33, last: nil)
        #expect(same == .lost(floor: 1 << 33))
        let higher = Self.judge(isOfPresent: false, floor: 1 << 34, commit: 1, present: 1 << 33, last: nil)
        #expect(higher == .lost(floor: 1 << 34))
    }

    /// A history that was started and lost with the data may have been started within a known opening, before that
    /// accepted anything else.
    @Test(arguments: [1, 0] as [Int64])
    func aLostHistoryIsNoFormerOneOfAKnownOpening(present: Int64) {
        let claimed: Int64 = 1 << 33
        let verdict = Self.judge(isOfPresent: false, floor: claimed, commit: 3, present: present * claimed, last: 5)
        #expect(verdict == .lost(floor: claimed))
    }

    @Test(arguments: [0, 1, 4_294_967_295, 4_294_967_296, 1 << 40] as [Int64])
    func aFloorIsFarAboveAllThatWasUsed(position: Int64) throws {
        let floor = try #require(HistoryRules.floor(above: 0, position))
        #expect(floor - position > 1 << 32)
        #expect(try #require(HistoryRules.floor(above: position, 0)) == floor)
    }

    @Test func thereIsAnEndOfPositions() {
        #expect(HistoryRules.floor(above: 0, Limits.positionMax) == nil)
        #expect(HistoryRules.floor(above: Limits.positionMax - 1, 0) == nil)
        var floor: Int64 = 0
        for _ in 0..<1000 { floor = HistoryRules.floor(above: floor, floor + 1000) ?? floor }
        #expect(floor == 2000 << 32)
    }
}
