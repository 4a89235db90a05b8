import CausewayModels
import CausewayOutbox
import Testing

/// The five kinds of failure: charged attempts, pauses, failed messages.
@Suite struct FailureTests {
    @Test func aBusyServerIsTriedFourTimesFiveSecondsApart() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        for batch in 1...3 {
            harness.fail(batch, .serverBusy)
            #expect(harness.written == ["requeue a #\(batch)"])
            harness.wait(.milliseconds(4999))
            #expect(harness.sent == [])
            harness.wait(.milliseconds(1))
            #expect(harness.sent == ["0<1 send a"], "the head goes alone")
        }
        harness.fail(4, .serverBusy)
        #expect(harness.told == ["a failed retriesUsedUp"])
        #expect(harness.written.prefix(2) == ["fail a retriesUsedUp", "fence a at 1"])
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"], "the next goes on at once")
    }

    @Test func aBusyServerForOneMessageIsTriedFourTimes() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c")
        harness.answer(1, accepted())
        harness.answer(2, .busy, .notAttempted)
        #expect(harness.written == ["requeue b #1", "requeue c #0"])
        for batch in 3...5 {
            harness.wait(.seconds(5))
            #expect(harness.sent == ["1<2 send b"])
            harness.answer(batch, .busy)
        }
        #expect(harness.told == ["b failed retriesUsedUp"])
        #expect(harness.sent == ["1<2 fence b, 2<3 send c"])
    }

    @Test func onlyWhatWasNotAcceptedIsTriedAgain() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c", "d")
        harness.answer(1, accepted(1))
        harness.answer(2, accepted(2), .busy, .notAttempted)
        #expect(harness.told == ["b delivered"])
        #expect(harness.written == ["deliver b", "requeue c #1", "requeue d #0"])
        harness.wait(.seconds(5))
        #expect(harness.sent == ["2<3 send c"])
        harness.answer(3, accepted(3))
        #expect(harness.sent == ["3<4 send d"])
    }

    @Test(arguments: [TransportError.noWay, .rateLimited(after: .seconds(7), detail: ""), .badToken])
    func whatIsNobodysFaultUsesUpNoRetry(error: TransportError) {
        var harness = OutboxHarness()
        harness.create("a")
        for batch in 1...10 {
            harness.fail(batch, error)
            #expect(harness.written == ["requeue a #0"])
            harness.wait(.seconds(60))
            if harness.sent.isEmpty {
                harness.take(.authenticated)
                harness.wait(harness.sent.isEmpty ? .seconds(60) : .zero)
            }
            #expect(harness.batches.count == batch + 1)
        }
        #expect(harness.told == [])
    }

    @Test func aRateLimitIsObeyedAndBounded() {
        var harness = OutboxHarness { $0.rateLimitWaitMax = .seconds(100) }
        harness.create("a")
        harness.fail(1, .rateLimited(after: .seconds(30), detail: ""))
        #expect(harness.untilDeadline == .seconds(30))
        harness.wait(.seconds(30))
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(2, .tryLater(code: "slow", detail: "", after: .seconds(100_000)))
        #expect(harness.written == ["requeue a #0"])
        #expect(harness.untilDeadline == .seconds(100))
    }

    @Test func aRefusedRequestOfTwoSendsItsHeadAlone() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c")
        harness.answer(1, accepted())
        harness.fail(2, .badRequest)
        #expect(harness.told == [])
        #expect(harness.sent == ["1<2 send b"])
        harness.fail(3, .badRequest)
        #expect(harness.told == ["b failed refused"])
        #expect(harness.sent == ["1<2 fence b, 2<3 send c"], "error at once, and the next goes on")
    }

    /// A server that cannot read one of many: each batch that contains it is refused as a whole.
    @Test(arguments: [0, 1, 31, 40, 62, 63])
    func oneThatSpoilsItsDeliveriesIsFoundInFewOfThem(spoilt: Int) {
        var harness = OutboxHarness { $0.batchOperationsMax = 64 }
        let names = (UInt8(128)..<192).map { String(UnicodeScalar($0)) }
        harness.create("a")
        let entries = names.map { harness.entry($0) }
        harness.take(.enqueued(entries))
        harness.answer(1, accepted())
        var told: [String] = []
        var position: Int64 = 1
        var answered = 1
        while answered < harness.batches.count, answered < 100 {
            answered += 1
            let operations = harness.batches[answered - 1].operations
            if operations.contains(where: { $0.kind == .send && $0.message == id(names[spoilt]) }) {
                harness.fail(answered, .badRequest)
            } else {
                let outcomes = operations.map { operation -> DeliveryOutcome in
                    guard operation.kind == .send else { return .fenced }
                    position += 1
                    return accepted(position)
                }
                harness.answer(answered, outcomes)
            }
            told += harness.told
        }
        #expect(told == names.map { $0 == names[spoilt] ? "\($0) failed refused" : "\($0) delivered" })
        #expect(answered <= 26, "one by one would take up to 129")
    }

    @Test func oneThatIsRefusedDoesNotStopTheOthers() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c", "d")
        harness.answer(1, accepted(1))
        harness.answer(2, accepted(2), .forbidden, accepted(3))
        #expect(harness.told == ["b delivered", "c failed refused", "d delivered"])
        #expect(
            harness.written == ["deliver b", "attempt c after 2 #1", "fail c refused", "deliver d"],
            "one commit, no link left")
        #expect(harness.untilDeadline == nil)
    }

    @Test func whatCannotBeEncodedIsSetAside() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c")
        harness.answer(1, accepted())
        harness.take(.unsendable(harness.batches[1], [id("b")], detail: "too deep"))
        #expect(harness.told == ["b failed unsendable"])
        #expect(harness.sent == ["1<2 fence b, 2<3 send c"])
    }

    @Test func attentionStopsAllLanesAndFailsNothing() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .badToken)
        harness.create("b", lane: .media)
        harness.wait(.seconds(3600))
        #expect(harness.sent == [] && harness.told == [])
        #expect(harness.outbox.actionRequired?.cause == .tokenRefused)
        harness.take(.actionResolved)
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 send a", "0<2 send b"])
    }

    @Test func anAnswerThatDoesNotFitIsNoAnswer() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, accepted(), accepted())
        #expect(harness.written == ["requeue a #1"])
        #expect(harness.waitReason("a").map { "\($0)" }?.hasPrefix("offline") == true)
    }

    @Test func questionsAreNeverGivenUp() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .serverBusy)
        #expect(harness.sent == ["0<1 fence a"])
        for batch in 2...20 {
            harness.fail(batch, .serverBusy)
            #expect(harness.sent == [])
            harness.wait(.seconds(61))
            #expect(harness.sent == ["0<1 fence a"])
        }
    }
}
