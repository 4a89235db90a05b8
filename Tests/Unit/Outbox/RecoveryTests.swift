import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// A state that only time or the network can change always has a next probe.
@Suite struct RecoveryTests {
    /// Requires user action, as far as the client knows; the server may be repaired at any time.
    private func needingAction(_ cause: ActionRequired.Cause = .certificate) -> OutboxHarness {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .actionRequired(ActionRequired(cause: cause, detail: "not yet")))
        return harness
    }

    /// Lets the next probe begin, which must be within 15 s, and leaves it under way.
    private func probe(_ harness: inout OutboxHarness) {
        for _ in 0..<15 {
            harness.wait(.seconds(1))
            if harness.probes > 0 { return }
        }
        Issue.record("nobody looks for the server")
    }

    @Test(arguments: [ActionRequired.Cause.certificate, .protocolMismatch, .tokenRefused])
    func actionRequiredIsLookedAtAgainHoweverAProbeEnds(cause: ActionRequired.Cause) {
        var harness = needingAction(cause)
        let ends: [TransportError] = [
            .noWay, .noAnswer, .serverBusy, .rateLimited(after: .seconds(5), detail: ""), .badRequest,
            .actionRequired(ActionRequired(cause: cause, detail: "still")), .noWay, .noWay,
            .notSent(code: "busy", detail: ""), .storeForked(detail: ""), .historyChanged(detail: ""),
        ]
        for end in ends {
            probe(&harness)
            harness.take(.probeFailed(end))
            #expect(harness.sent == [])
        }
        probe(&harness)
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.batches.count == 2, "sent after the repair")
    }

    @Test func theServerIsLookedForHoweverAProbeEnds() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        for end in [
            .noWay, .noAnswer, .notSent(code: "busy", detail: ""), .storeForked(detail: ""),
            .historyChanged(detail: ""),
        ] as [TransportError] {
            probe(&harness)
            harness.take(.probeFailed(end))
        }
        probe(&harness)
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.batches.count == 2)
    }

    @Test func aRateLimitOnAProbeIsObeyedWhileActionIsRequired() {
        var harness = needingAction()
        probe(&harness)
        harness.take(.probeFailed(.rateLimited(after: .seconds(100), detail: "")))
        harness.wait(.seconds(99))
        #expect(harness.probes == 0)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
    }

    @Test func aDeliveryThatFailsWhileActionIsRequiredTakesNoLookAway() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("m", lane: .media)
        harness.fail(1, .actionRequired(ActionRequired(cause: .certificate, detail: "")))
        harness.fail(2, .noWay)
        probe(&harness)
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.batches.count == 4)
    }

    @Test func aServerThatIsBackIsFoundWithinFifteenSeconds() {
        var harness = OutboxHarness { $0.retry.jitterPercent = 10 }
        harness.create("a")
        harness.fail(1, .noWay)
        for _ in 0..<40 {
            let pause = harness.untilDeadline ?? .seconds(3600)
            #expect(pause <= .seconds(15))
            harness.wait(pause)
            harness.take(.probeFailed(.noWay))
        }
    }

    // MARK: - Lanes that wait for another lane

    /// Media was created first, so that its lane is visited first; the message that it waits for expires in a paused
    /// lane.
    @Test func mediaGoesOnWhenWhatItWaitsForExpiresInAPausedLane() {
        var harness = OutboxHarness {
            $0.precedence = OrderingPolicy.mediaAfterText.precedence
            $0.headFailure = .pauseLane
            $0.expiry = .seconds(60)
        }
        harness.create("m", lane: .media)
        harness.answer(1, accepted())
        harness.create("a")
        harness.create("b")
        harness.answer(2, .forbidden)
        harness.wait(.seconds(30))
        harness.create("n", lane: .media)
        #expect(harness.sent == [])
        harness.wait(.seconds(31))
        #expect(harness.told == ["b failed expired"])
        #expect(harness.sent == ["1<4 send n"])
        harness.wait(.seconds(60))
        #expect(harness.told == [], "it is under way, not expired")
    }

    // MARK: - Questions

    /// One message failed in doubt; its fence has failed four times and waits longer each time.
    private func pausedQuestion() -> OutboxHarness {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .serverBusy)
        for batch in 2...5 {
            #expect(harness.sent == ["0<1 fence a"])
            harness.fail(batch, .serverBusy)
            if batch < 5 { harness.wait(.seconds(66)) }
        }
        return harness
    }

    @Test func aQuestionsPauseHoldsUpNoMessage() {
        var harness = pausedQuestion()
        harness.create("b")
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
        #expect(harness.waitReason("b") == .inFlight(since: harness.clock.wall))
    }

    @Test func aMessageThatIsRefusedWithAQuestionHasAPauseOfItsOwn() {
        var harness = pausedQuestion()
        harness.create("b")
        harness.fail(6, .serverBusy)
        #expect(harness.told == ["b failed retriesUsedUp"])
        #expect(harness.sent == ["0<1 fence a, 1<2 fence b"])
        harness.fail(7, .serverBusy)
        #expect(harness.sent == [], "questions alone are not asked in circles")
    }

    @Test func evidenceThatTheServerIsWellEndsTheQuestionsPause() {
        var harness = pausedQuestion()
        harness.wait(.seconds(2))
        harness.create("m", lane: .media)
        #expect(harness.sent == ["0<2 send m"])
        harness.answer(6, accepted())
        #expect(harness.sent == ["0<1 fence a"])
    }

    @Test func aGreetingEndsTheQuestionsPause() {
        var harness = pausedQuestion()
        harness.wait(.seconds(2))
        harness.take(.probeRequested)
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 fence a"])
    }

    @Test func aQuestionThatAlwaysFailsIsNotAskedWithEachMessageThatGoes() {
        var harness = pausedQuestion()
        harness.wait(.seconds(2))
        for _ in 0..<10 {
            harness.create("m", lane: .media)
            harness.answer(harness.batches.count, accepted())
            if !harness.sent.isEmpty { harness.fail(harness.batches.count, .serverBusy) }
        }
        #expect(harness.batches.filter { $0.operations.contains { $0.kind == .fence } }.count == 5, "once more")
    }

    @Test func aQuestionIsAskedAgainWithinFifteenSeconds() {
        var harness = pausedQuestion()
        for batch in 6...9 {
            #expect(harness.untilDeadline.map { $0 <= .seconds(15) } == true)
            harness.wait(.seconds(15))
            harness.fail(batch, .serverBusy)
        }
    }

    /// A hub never responds so; a fence that is put off is not the fault of the message behind it.
    @Test func aQuestionThatIsPutOffChargesNoMessage() {
        var harness = pausedQuestion()
        harness.create("b")
        harness.answer(6, .busy, .notAttempted)
        #expect(harness.written.contains("requeue b #0"))
        #expect(harness.sent == [])
    }

    // MARK: - Crashes

    private func entry(_ name: String, _ sequence: Int64, previous: Int64?, attempts: Int = 0) -> OutboxEntry {
        OutboxEntry(
            kind: .send, lane: .text, sequence: sequence, previous: previous, message: id(name), attempts: attempts,
            bytes: 10)
    }

    @Test func afterACrashWithAnAttemptUnderWayTheHeadGoesAlone() {
        var harness = OutboxHarness(
            [entry("a", 1, previous: 0, attempts: 1), entry("b", 2, previous: 1), entry("c", 3, previous: 2)],
            lastTransmitted: [.text: 3])
        #expect(harness.batches.map { $0.operations.map(\.message.name) } == [["a"]])
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<2 send b, 2<3 send c"], "then twice as many each time")
    }

    /// Another history is no reason to send before the connection has settled.
    @Test(arguments: [true, false])
    func aServerThatHasLostDataSettlesAfterAnOutage(isBack: Bool) {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("m", lane: .media)
        harness.fail(1, .noAnswer)
        if isBack {
            harness.take(.probeRequested)
            harness.take(.authenticated)
        }
        harness.fail(2, .historyChanged(detail: ""))
        #expect(harness.probes == 1)
        harness.take(.authenticated)
        #expect(harness.sent == [])
        let reason = harness.waitReason("m")
        if case .settling = reason {} else { Issue.record("it waits: \(String(describing: reason))") }
        harness.wait(.seconds(5))
        #expect(harness.batches.count == 4)
    }
}
