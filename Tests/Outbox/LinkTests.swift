import CausewayModels
import CausewayOutbox
import Testing

/// Reaching the server: probes, the stable time after an outage, backoff.
@Suite struct LinkTests {
    @Test func theServerIsSettledBeforeAnythingIsSent() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        bench.wait(.seconds(1))
        #expect(bench.probes == 1)
        bench.take(.greeted)
        #expect(bench.sent == [])
        bench.wait(.milliseconds(999))
        #expect(bench.sent == [])
        bench.wait(.milliseconds(1))
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func theFirstGreetingNeedsNoSettling() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        bench.take(.sessionBegan)
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func probesComeTwiceAsLateUpToABound() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        for pause in [1, 2, 4, 8, 15, 15, 15] {
            #expect(bench.untilDeadline == .seconds(pause))
            bench.wait(.seconds(pause))
            #expect(bench.probes == 1)
            bench.take(.probeFailed(.noWay))
        }
    }

    @Test func aLongGoodTimeResetsTheBackoff() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        bench.wait(.seconds(1))
        bench.take(.probeFailed(.noWay))
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        bench.answer(2, accepted())
        bench.wait(.seconds(30))
        bench.create("b")
        bench.fail(3, .noWay)
        #expect(bench.untilDeadline == .seconds(1))
    }

    @Test func aNewMessageHurriesTheProbeButNotEveryOne() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        for _ in 0..<4 {
            bench.wait(bench.untilDeadline ?? .zero)
            bench.take(.probeFailed(.noWay))
        }
        bench.wait(.seconds(2))
        bench.create("b")
        #expect(bench.probes == 1)
        bench.take(.probeFailed(.noWay))
        bench.create("c")
        #expect(bench.probes == 0)
        #expect(bench.untilDeadline == .seconds(1))
    }

    @Test func aServerThatAnswersAProbeBadlyIsReachable() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        bench.take(.sessionBegan)
        bench.take(.probeFailed(.serverBusy))
        bench.wait(.zero)
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func aRateLimitOnAProbeHoldsDeliveries() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        bench.take(.sessionBegan)
        bench.take(.probeFailed(.rateLimited(after: .seconds(20), detail: "")))
        bench.wait(.seconds(19))
        #expect(bench.sent == [])
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func attentionIsProbedEveryTenSeconds() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .badToken)
        #expect(bench.untilDeadline == .seconds(10))
        bench.wait(.seconds(10))
        #expect(bench.probes == 1)
        bench.take(.greeted)
        #expect(bench.outbox.attention == nil)
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func aSupersededStoreWaitsForAPerson() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .needsAttention(Attention(cause: .superseded, detail: "another copy")))
        #expect(bench.untilDeadline == nil)
        bench.take(.probeRequested)
        #expect(bench.probes == 1)
    }

    @Test func oneProbeAtATime() {
        var bench = Bench(isOnline: false)
        bench.take(.sessionBegan)
        bench.take(.probeRequested)
        #expect(bench.probes == 0)
    }
}
