import CausewayModels
import CausewayOutbox
import Testing

/// Reaching the server: probes, the stable time after an outage, backoff.
@Suite struct ConnectionTests {
    @Test func theServerIsSettledBeforeAnythingIsSent() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
        harness.take(.authenticated)
        #expect(harness.sent == [])
        harness.wait(.milliseconds(999))
        #expect(harness.sent == [])
        harness.wait(.milliseconds(1))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func theFirstGreetingNeedsNoSettling() {
        var harness = OutboxHarness(isOnline: false)
        harness.create("a")
        harness.take(.sessionBegan)
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func aChangeOfTheNetworkIsProbedAtOnceAndAtTheShortestPauseAgain() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        for _ in 1...6 {
            harness.wait(harness.untilDeadline ?? .zero)
            harness.take(.probeFailed(.noWay))
        }
        #expect(harness.untilDeadline == .seconds(15))
        harness.take(.networkChanged)
        #expect(harness.probes == 1)
        // One that was under way waits on a path that is gone.
        harness.take(.networkChanged)
        #expect(harness.probes == 1)
        harness.take(.probeFailed(.noWay))
        #expect(harness.untilDeadline == .seconds(1))
    }

    @Test func aLostNetworkIsAnOutageWithoutAnAttempt() {
        var harness = OutboxHarness()
        harness.take(.networkLost)
        harness.create("a")
        #expect(harness.sent == [])
        #expect(harness.untilDeadline == .seconds(1))
        harness.take(.networkChanged)
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func probesComeTwiceAsLateUpToABound() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        for pause in [1, 2, 4, 8, 15, 15, 15] {
            #expect(harness.untilDeadline == .seconds(pause))
            harness.wait(.seconds(pause))
            #expect(harness.probes == 1)
            harness.take(.probeFailed(.noWay))
        }
    }

    @Test func aLongGoodTimeResetsTheBackoff() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        harness.wait(.seconds(1))
        harness.take(.probeFailed(.noWay))
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        harness.answer(2, accepted())
        harness.wait(.seconds(30))
        harness.create("b")
        harness.fail(3, .noWay)
        #expect(harness.untilDeadline == .seconds(1))
    }

    @Test func aNewMessageHurriesTheProbeButNotEveryOne() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        for _ in 0..<4 {
            harness.wait(harness.untilDeadline ?? .zero)
            harness.take(.probeFailed(.noWay))
        }
        harness.wait(.seconds(2))
        harness.create("b")
        #expect(harness.probes == 1)
        harness.take(.probeFailed(.noWay))
        harness.create("c")
        #expect(harness.probes == 0)
        #expect(harness.untilDeadline == .seconds(1))
    }

    @Test func aServerThatAnswersAProbeBadlyIsReachable() {
        var harness = OutboxHarness(history: Self.history, isOnline: false)
        harness.create("a")
        harness.take(.sessionBegan)
        harness.take(.probeFailed(.serverBusy))
        harness.wait(.zero)
        #expect(harness.sent == ["0<1 send a"])
    }

    private static let history = ServerHistory(server: "hub", id: "history", opening: nil, commit: 0, claim: "claim")

    /// A delivery names the history that it is meant for. One that named none could be stored after the server's data
    /// were replaced, or returned, and its message would count as failed here.
    @Test(arguments: [
        TransportError.serverBusy, .serverFailed(code: "500", detail: ""), .rateLimited(after: .seconds(1), detail: ""),
    ])
    func nothingIsSentToAServerThatHasNotNamedItsHistory(error: TransportError) {
        var harness = OutboxHarness(isOnline: false)
        harness.create("a")
        harness.take(.sessionBegan)
        for _ in 1...3 {
            harness.take(.probeFailed(error))
            #expect(harness.untilDeadline != nil)
            harness.wait(harness.untilDeadline ?? .zero)
            #expect(harness.sent == [] && harness.probes == 1, "it is probed again")
        }
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(1, accepted())
        harness.create("b")
        harness.fail(2, .noWay)
        harness.wait(harness.untilDeadline ?? .zero)
        harness.take(.probeFailed(error))
        harness.wait(.seconds(5))
        #expect(harness.sent == ["1<2 send b"], "a server that is known may fail to answer probes alone")
    }

    @Test func aRateLimitAtTheFirstContactDelaysTheNextProbe() {
        var harness = OutboxHarness(isOnline: false)
        harness.take(.sessionBegan)
        harness.take(.probeFailed(.rateLimited(after: .seconds(40), detail: "")))
        harness.wait(.seconds(39))
        #expect(harness.probes == 0)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
    }

    @Test func aRateLimitOnAProbeHoldsDeliveries() {
        var harness = OutboxHarness(history: Self.history, isOnline: false)
        harness.create("a")
        harness.take(.sessionBegan)
        harness.take(.probeFailed(.rateLimited(after: .seconds(20), detail: "")))
        harness.wait(.seconds(19))
        #expect(harness.sent == [])
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func attentionIsProbedEveryTenSeconds() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .badToken)
        #expect(harness.untilDeadline == .seconds(10))
        harness.wait(.seconds(10))
        #expect(harness.probes == 1)
        harness.take(.authenticated)
        #expect(harness.outbox.actionRequired == nil)
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func aSupersededStoreWaitsForAPerson() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .actionRequired(ActionRequired(cause: .superseded, detail: "another copy")))
        #expect(harness.untilDeadline == nil)
        harness.take(.probeRequested)
        #expect(harness.probes == 1)
    }

    @Test func oneProbeAtATime() {
        var harness = OutboxHarness(isOnline: false)
        harness.take(.sessionBegan)
        harness.take(.probeRequested)
        #expect(harness.probes == 0)
    }

    /// A page named another history: only a probe that succeeds shows what the server has lost.
    @Test func aRequestedProbeThatFailsIsRepeated() {
        var harness = OutboxHarness()
        harness.take(.probeRequested)
        #expect(harness.probes == 1)
        for _ in 1...3 {
            harness.take(.probeFailed(.serverBusy))
            harness.wait(.seconds(1))
            #expect(harness.probes == 1)
        }
        harness.take(.authenticated)
        harness.wait(.seconds(3_000))
        #expect(harness.probes == 0)
    }

    /// The server may have answered the probe under way before the cause of the request.
    @Test func aProbeThatIsRequestedDuringAnotherFollowsIt() {
        var harness = OutboxHarness(isOnline: false)
        harness.take(.sessionBegan)
        #expect(harness.probes == 1)
        harness.take(.probeRequested)
        harness.take(.probeRequested)
        #expect(harness.probes == 0)
        harness.take(.authenticated)
        #expect(harness.probes == 1)
        harness.take(.authenticated)
        #expect(harness.probes == 0)
    }

    @Test func aRequestedProbeWaitsAsLongAsTheServerAsked() {
        var harness = OutboxHarness { $0.idleProbeInterval = .seconds(300) }
        harness.take(.probeRequested)
        #expect(harness.probes == 1)
        harness.take(.probeFailed(.rateLimited(after: .seconds(20), detail: "")))
        harness.wait(.seconds(19))
        #expect(harness.probes == 0)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
    }

    /// Without a probe, an idle client would detect a refused token or lost data only with its next message.
    @Test func anIdleClientLooksForItsServerWhenItHasNotHeardOfIt() {
        var harness = OutboxHarness { $0.idleProbeInterval = .seconds(300) }
        for _ in 1...3 {
            harness.wait(.seconds(299))
            #expect(harness.probes == 0)
            harness.wait(.seconds(1))
            #expect(harness.probes == 1)
            harness.take(.authenticated)
        }
        // A response counts as a probe.
        harness.wait(.seconds(200))
        harness.create("a")
        harness.answer(1, accepted())
        harness.wait(.seconds(299))
        #expect(harness.probes == 0)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
        // A response without a result does not bring the next probe forward.
        harness.take(.probeFailed(.transient(code: "503", detail: "busy")))
        harness.wait(.seconds(299))
        #expect(harness.probes == 0)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
        // A failed idle probe leads to the probes of an outage.
        harness.take(.probeFailed(.noWay))
        #expect(harness.untilDeadline == .seconds(1))
    }

    @Test func nobodyLooksDuringAPauseOrWithoutASessionOrByDefault() {
        var paused = OutboxHarness { $0.idleProbeInterval = .seconds(300) }
        paused.take(.paused)
        paused.wait(.seconds(300))
        paused.wait(.seconds(3_000))
        #expect(paused.probes == 0)
        paused.take(.resumed)
        paused.wait(.seconds(300))
        #expect(paused.probes == 1)
        var loggedOut = OutboxHarness(isOnline: false) { $0.idleProbeInterval = .seconds(300) }
        loggedOut.wait(.seconds(3_000))
        #expect(loggedOut.probes == 0)
        var usual = OutboxHarness()
        usual.wait(.seconds(30_000))
        #expect(usual.probes == 0)
    }

    /// A server that asks for time gets it: no probe is sent before its pause is over.
    @Test func anIdleProbeWaitsAsLongAsTheServerAsked() {
        var harness = OutboxHarness { $0.idleProbeInterval = .seconds(300) }
        harness.wait(.seconds(200))
        harness.create("a")
        harness.fail(1, .rateLimited(after: .seconds(900), detail: ""))
        // The probe that was planned before the pause.
        harness.wait(.seconds(100))
        #expect(harness.probes == 0)
        // One that would be planned during the pause.
        #expect(harness.untilDeadline == .seconds(800))
        harness.wait(.seconds(400))
        #expect(harness.probes == 0)
        harness.wait(.seconds(400))
        // The message is a probe.
        #expect(harness.sent == ["0<1 send a"])
        #expect(harness.probes == 0)
    }

    @Test func idleClientsDoNotLookAllAtOnce() {
        var harness = OutboxHarness {
            $0.idleProbeInterval = .seconds(300)
            $0.retry.jitterPercent = 10
        }
        var pauses: Set<Duration> = []
        for _ in 0..<20 {
            let pause = harness.untilDeadline ?? .zero
            #expect(pause >= .seconds(180) && pause <= .seconds(300))
            pauses.insert(pause)
            harness.wait(pause)
            harness.take(.authenticated)
        }
        #expect(pauses.count > 5)
    }
}
