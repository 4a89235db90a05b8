import CausewayHTTPServer
import CausewayModels
import Testing

@Suite struct TransferPaceTests {
    private func at(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func aClientThatSendsTooLittleIsTooSlow() {
        var pace = TransferPace(bytesPerSecondMin: 10, graceSeconds: 5)
        pace.waits(at: at(0))
        let check1 = pace.isTooSlow(at: at(4))
        #expect(!check1, "before the grace is over")
        pace.received(49, at: at(4))
        pace.waits(at: at(4))
        let check2 = pace.isTooSlow(at: at(5))
        #expect(check2)
    }

    @Test func aClientThatKeepsTheRateIsNot() {
        var pace = TransferPace(bytesPerSecondMin: 10, graceSeconds: 5)
        for start in stride(from: Int64(0), to: 50, by: 5) {
            pace.waits(at: at(start))
            pace.received(50, at: at(start + 5))
            let check3 = pace.isTooSlow(at: at(start + 5))
            #expect(!check3)
        }
        // A burst is no credit for later.
        pace.waits(at: at(50))
        pace.received(1_000_000, at: at(55))
        pace.waits(at: at(55))
        let check4 = pace.isTooSlow(at: at(55))
        #expect(!check4)
        let check5 = pace.isTooSlow(at: at(60))
        #expect(check5)
    }

    @Test func timeInWhichTheServerDoesNotWaitDoesNotCount() {
        var pace = TransferPace(bytesPerSecondMin: 10, graceSeconds: 5)
        pace.waits(at: at(0))
        pace.received(10, at: at(1))
        let check6 = pace.isTooSlow(at: at(100))
        #expect(!check6)
        pace.waits(at: at(100))
        let check7 = pace.isTooSlow(at: at(103))
        #expect(!check7)
        pace.received(1, at: at(104))
        let check8 = pace.isTooSlow(at: at(104))
        #expect(check8)
    }
}
