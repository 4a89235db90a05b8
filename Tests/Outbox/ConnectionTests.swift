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

    /// Without a probe, an idle client would detect a refused token or lost data only with its next message.
    @Test func anIdleClientLooksForItsServerWhenItHasNotHeardOfIt() {
        var bench = Bench { $0.idleProbeInterval = .seconds(300) }
        for _ in 1...3 {
            bench.wait(.seconds(299))
            #expect(bench.probes == 0)
            bench.wait(.seconds(1))
            #expect(bench.probes == 1)
            bench.take(.greeted)
        }
        // An answer is as good as a look.
        bench.wait(.seconds(200))
        bench.create("a")
        bench.answer(1, accepted())
        bench.wait(.seconds(299))
        #expect(bench.probes == 0)
        bench.wait(.seconds(1))
        #expect(bench.probes == 1)
        // The server answers, and can say nothing: the next look is no sooner for that.
        bench.take(.probeFailed(.transient(code: "503", detail: "busy")))
        bench.wait(.seconds(299))
        #expect(bench.probes == 0)
        bench.wait(.seconds(1))
        #expect(bench.probes == 1)
        // What the look comes to is dealt with as ever.
        bench.take(.probeFailed(.noWay))
        #expect(bench.untilDeadline == .seconds(1))
    }

    @Test func nobodyLooksDuringAPauseOrWithoutASessionOrByDefault() {
        var paused = Bench { $0.idleProbeInterval = .seconds(300) }
        paused.take(.paused)
        paused.wait(.seconds(300))
        paused.wait(.seconds(3_000))
        #expect(paused.probes == 0)
        paused.take(.resumed)
        paused.wait(.seconds(300))
        #expect(paused.probes == 1)
        var loggedOut = Bench(isOnline: false) { $0.idleProbeInterval = .seconds(300) }
        loggedOut.wait(.seconds(3_000))
        #expect(loggedOut.probes == 0)
        var usual = Bench()
        usual.wait(.seconds(30_000))
        #expect(usual.probes == 0)
    }

    @Test func idleClientsDoNotLookAllAtOnce() {
        var bench = Bench {
            $0.idleProbeInterval = .seconds(300)
            $0.retry.jitterPercent = 10
        }
        var pauses: Set<Duration> = []
        for _ in 0..<20 {
            let pause = bench.untilDeadline ?? .zero
            #expect(pause >= .seconds(180) && pause <= .seconds(300))
            pauses.insert(pause)
            bench.wait(pause)
            bench.take(.greeted)
        }
        #expect(pauses.count > 5)
    }
}
