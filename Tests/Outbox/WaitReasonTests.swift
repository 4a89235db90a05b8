import CausewayModels
import CausewayOutbox
import Testing

/// Every situation has a reason for waiting.
@Suite struct WaitReasonTests {
    private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test func inFlightAndBehindIt() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        #expect(bench.waitReason("a") == .inFlight(since: at(0)))
        #expect(bench.waitReason("b") == .behind(id("a")))
        bench.answer(1, accepted())
        #expect(bench.waitReason("a") == nil)
    }

    @Test func backingOff() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.fail(1, .serverBusy)
        #expect(bench.waitReason("a") == .backingOff(until: at(5), attempts: 1))
        #expect(bench.waitReason("b") == .behind(id("a")))
    }

    @Test func offlineAndSettling() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        #expect(bench.waitReason("a") == .offline(detail: "no way", nextProbe: at(1)))
        bench.wait(.seconds(1))
        bench.take(.greeted)
        #expect(bench.waitReason("a") == .settling(until: at(2)))
    }

    @Test func rateLimited() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .rateLimited(after: .seconds(9), detail: ""))
        #expect(bench.waitReason("a") == .rateLimited(until: at(9)))
    }

    @Test func attention() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .badToken)
        #expect(bench.waitReason("a") == .needsAttention(Attention(cause: .tokenRefused, detail: "401")))
    }

    @Test func pausedAndWithoutASession() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        #expect(bench.waitReason("a") == .noSession)
        bench.take(.sessionBegan)
        #expect(bench.waitReason("a") == .offline(detail: "looking for the server", nextProbe: nil))
        bench.take(.paused)
        #expect(bench.waitReason("a") == .paused)
    }

    @Test func failedAndUnknownDoNotWait() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        #expect(bench.waitReason("a") == nil)
        #expect(bench.waitReason("z") == nil)
    }

    @Test func lanesSayWhyTheirOldestWaits() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.fail(1, .serverBusy)
        let lanes = bench.outbox.lanesInWords(at: bench.moment)
        #expect(lanes.count == 1)
        #expect(lanes.first?.lane == .text && lanes.first?.depth == 2 && lanes.first?.head == id("a"))
        #expect(lanes.first?.wait == .backingOff(until: at(5), attempts: 1))
    }
}
