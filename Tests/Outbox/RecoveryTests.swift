import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// A state that only time or the network can change always has a next probe.
@Suite struct RecoveryTests {
    /// Requires user action, as far as the client knows; the server may be repaired at any time.
    private func needingAction(_ cause: Attention.Cause = .certificate) -> Bench {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .needsAttention(Attention(cause: cause, detail: "not yet")))
        return bench
    }

    /// Lets the next probe begin, which must be within 15 s, and leaves it under way.
    private func probe(_ bench: inout Bench) {
        for _ in 0..<15 {
            bench.wait(.seconds(1))
            if bench.probes > 0 { return }
        }
        Issue.record("nobody looks for the server")
    }

    @Test(arguments: [Attention.Cause.certificate, .protocolMismatch, .tokenRefused])
    func actionRequiredIsLookedAtAgainHoweverAProbeEnds(cause: Attention.Cause) {
        var bench = needingAction(cause)
        let ends: [TransportError] = [
            .noWay, .noAnswer, .serverBusy, .rateLimited(after: .seconds(5), detail: ""), .badRequest,
            .needsAttention(Attention(cause: cause, detail: "still")), .noWay, .noWay,
        ]
        for end in ends {
            probe(&bench)
            bench.take(.probeFailed(end))
            #expect(bench.sent == [])
        }
        probe(&bench)
        bench.take(.greeted)
        bench.wait(.seconds(5))
        #expect(bench.rounds.count == 2, "sent after the repair")
    }

    @Test func aRateLimitOnAProbeIsObeyedWhileActionIsRequired() {
        var bench = needingAction()
        probe(&bench)
        bench.take(.probeFailed(.rateLimited(after: .seconds(100), detail: "")))
        bench.wait(.seconds(99))
        #expect(bench.probes == 0)
        bench.wait(.seconds(1))
        #expect(bench.probes == 1)
    }

    @Test func aDeliveryThatFailsWhileActionIsRequiredTakesNoLookAway() {
        var bench = Bench()
        bench.create("a")
        bench.create("m", lane: .media)
        bench.fail(1, .needsAttention(Attention(cause: .certificate, detail: "")))
        bench.fail(2, .noWay)
        probe(&bench)
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.rounds.count == 4)
    }

    @Test func aServerThatIsBackIsFoundWithinFifteenSeconds() {
        var bench = Bench { $0.retry.jitterPercent = 10 }
        bench.create("a")
        bench.fail(1, .noWay)
        for _ in 0..<40 {
            let pause = bench.untilDeadline ?? .seconds(3600)
            #expect(pause <= .seconds(15))
            bench.wait(pause)
            bench.take(.probeFailed(.noWay))
        }
    }

    // MARK: - Lanes that wait for another lane

    /// Media was created first, so that its lane is visited first; the message that it waits for expires in a paused
    /// lane.
    @Test func mediaGoesOnWhenWhatItWaitsForExpiresInAPausedLane() {
        var bench = Bench {
            $0.precedence = OrderingPolicy.mediaAfterText.precedence
            $0.headFailure = .pauseLane
            $0.expiry = .seconds(60)
        }
        bench.create("m", lane: .media)
        bench.answer(1, accepted())
        bench.create("a")
        bench.create("b")
        bench.answer(2, .forbidden)
        bench.wait(.seconds(30))
        bench.create("n", lane: .media)
        #expect(bench.sent == [])
        bench.wait(.seconds(31))
        #expect(bench.told == ["b failed expired"])
        #expect(bench.sent == ["1<4 send n"])
        bench.wait(.seconds(60))
        #expect(bench.told == [], "it is under way, not expired")
    }

    // MARK: - Questions

    /// One message failed in doubt; its fence has failed four times and waits longer each time.
    private func pausedQuestion() -> Bench {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .serverBusy)
        for round in 2...5 {
            #expect(bench.sent == ["0<1 fence a"])
            bench.fail(round, .serverBusy)
            if round < 5 { bench.wait(.seconds(66)) }
        }
        return bench
    }

    @Test func aQuestionsPauseHoldsUpNoMessage() {
        var bench = pausedQuestion()
        bench.create("b")
        #expect(bench.sent == ["0<1 fence a, 1<2 send b"])
        #expect(bench.waitReason("b") == .inFlight(since: bench.moment.wall))
    }

    @Test func aMessageThatIsRefusedWithAQuestionHasAPauseOfItsOwn() {
        var bench = pausedQuestion()
        bench.create("b")
        bench.fail(6, .serverBusy)
        #expect(bench.told == ["b failed retriesUsedUp"])
        #expect(bench.sent == ["0<1 fence a, 1<2 fence b"])
        bench.fail(7, .serverBusy)
        #expect(bench.sent == [], "questions alone are not asked in circles")
    }

    @Test func evidenceThatTheServerIsWellEndsTheQuestionsPause() {
        var bench = pausedQuestion()
        bench.wait(.seconds(2))
        bench.create("m", lane: .media)
        #expect(bench.sent == ["0<2 send m"])
        bench.answer(6, accepted())
        #expect(bench.sent == ["0<1 fence a"])
    }

    @Test func aGreetingEndsTheQuestionsPause() {
        var bench = pausedQuestion()
        bench.wait(.seconds(2))
        bench.take(.probeRequested)
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 fence a"])
    }

    @Test func aQuestionThatAlwaysFailsIsNotAskedWithEachMessageThatGoes() {
        var bench = pausedQuestion()
        bench.wait(.seconds(2))
        for _ in 0..<10 {
            bench.create("m", lane: .media)
            bench.answer(bench.rounds.count, accepted())
            if !bench.sent.isEmpty { bench.fail(bench.rounds.count, .serverBusy) }
        }
        #expect(bench.rounds.filter { $0.operations.contains { $0.kind == .fence } }.count == 5, "once more")
    }

    @Test func aQuestionIsAskedAgainWithinFifteenSeconds() {
        var bench = pausedQuestion()
        for round in 6...9 {
            #expect(bench.untilDeadline.map { $0 <= .seconds(15) } == true)
            bench.wait(.seconds(15))
            bench.fail(round, .serverBusy)
        }
    }

    /// A hub never responds so; a fence that is put off is not the fault of the message behind it.
    @Test func aQuestionThatIsPutOffChargesNoMessage() {
        var bench = pausedQuestion()
        bench.create("b")
        bench.answer(6, .busy, .notAttempted)
        #expect(bench.written.contains("requeue b #0"))
        #expect(bench.sent == [])
    }

    // MARK: - Crashes

    private func entry(_ name: String, _ sequence: Int64, previous: Int64?, attempts: Int = 0) -> OutboxEntry {
        OutboxEntry(
            kind: .send, lane: .text, sequence: sequence, previous: previous, message: id(name), attempts: attempts,
            bytes: 10)
    }

    @Test func afterACrashWithAnAttemptUnderWayTheHeadGoesAlone() {
        var bench = Bench(
            [entry("a", 1, previous: 0, attempts: 1), entry("b", 2, previous: 1), entry("c", 3, previous: 2)],
            lastTransmitted: [.text: 3])
        #expect(bench.rounds.map { $0.operations.map(\.message.name) } == [["a"]])
        bench.answer(1, accepted())
        #expect(bench.sent == ["1<2 send b, 2<3 send c"], "then twice as many each time")
    }
}
