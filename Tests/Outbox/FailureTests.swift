import CausewayModels
import CausewayOutbox
import Testing

/// The five kinds of failure: charged attempts, pauses, failed messages.
@Suite struct FailureTests {
    @Test func aBusyServerIsTriedFourTimesFiveSecondsApart() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        for round in 1...3 {
            bench.fail(round, .serverBusy)
            #expect(bench.written == ["requeue a #\(round)"])
            bench.wait(.milliseconds(4999))
            #expect(bench.sent == [])
            bench.wait(.milliseconds(1))
            #expect(bench.sent == ["0<1 send a"], "the head goes alone")
        }
        bench.fail(4, .serverBusy)
        #expect(bench.told == ["a failed retriesUsedUp"])
        #expect(bench.written.prefix(2) == ["fail a retriesUsedUp", "fence a at 1"])
        #expect(bench.sent == ["0<1 fence a, 1<2 send b"], "the next goes on at once")
    }

    @Test func aBusyServerForOneMessageIsTriedFourTimes() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c")
        bench.answer(1, accepted())
        bench.answer(2, .busy, .notAttempted)
        #expect(bench.written == ["requeue b #1", "requeue c #0"])
        for round in 3...5 {
            bench.wait(.seconds(5))
            #expect(bench.sent == ["1<2 send b"])
            bench.answer(round, .busy)
        }
        #expect(bench.told == ["b failed retriesUsedUp"])
        #expect(bench.sent == ["1<2 fence b, 2<3 send c"])
    }

    @Test func onlyWhatWasNotAcceptedIsTriedAgain() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c", "d")
        bench.answer(1, accepted(1))
        bench.answer(2, accepted(2), .busy, .notAttempted)
        #expect(bench.told == ["b delivered"])
        #expect(bench.written == ["deliver b", "requeue c #1", "requeue d #0"])
        bench.wait(.seconds(5))
        #expect(bench.sent == ["2<3 send c"])
        bench.answer(3, accepted(3))
        #expect(bench.sent == ["3<4 send d"])
    }

    @Test(arguments: [TransportError.noWay, .rateLimited(after: .seconds(7), detail: ""), .badToken])
    func whatIsNobodysFaultUsesUpNoRetry(error: TransportError) {
        var bench = Bench()
        bench.create("a")
        for round in 1...10 {
            bench.fail(round, error)
            #expect(bench.written == ["requeue a #0"])
            bench.wait(.seconds(60))
            if bench.sent.isEmpty {
                bench.take(.greeted)
                bench.wait(bench.sent.isEmpty ? .seconds(60) : .zero)
            }
            #expect(bench.rounds.count == round + 1)
        }
        #expect(bench.told == [])
    }

    @Test func aRateLimitIsObeyedAndBounded() {
        var bench = Bench { $0.rateLimitWaitMax = .seconds(100) }
        bench.create("a")
        bench.fail(1, .rateLimited(after: .seconds(30), detail: ""))
        #expect(bench.untilDeadline == .seconds(30))
        bench.wait(.seconds(30))
        #expect(bench.sent == ["0<1 send a"])
        bench.answer(2, .tryLater(code: "slow", detail: "", after: .seconds(100_000)))
        #expect(bench.written == ["requeue a #0"])
        #expect(bench.untilDeadline == .seconds(100))
    }

    @Test func aRefusedRequestOfTwoSendsItsHeadAlone() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c")
        bench.answer(1, accepted())
        bench.fail(2, .badRequest)
        #expect(bench.told == [])
        #expect(bench.sent == ["1<2 send b"])
        bench.fail(3, .badRequest)
        #expect(bench.told == ["b failed refused"])
        #expect(bench.sent == ["1<2 fence b, 2<3 send c"], "error at once, and the next goes on")
    }

    /// A server that cannot read one of many: each batch that contains it is refused as a whole.
    @Test(arguments: [0, 1, 31, 40, 62, 63])
    func oneThatSpoilsItsDeliveriesIsFoundInFewOfThem(spoilt: Int) {
        var bench = Bench { $0.batchOperationsMax = 64 }
        let names = (UInt8(128)..<192).map { String(UnicodeScalar($0)) }
        bench.create("a")
        let entries = names.map { bench.entry($0) }
        bench.take(.enqueued(entries))
        bench.answer(1, accepted())
        var told: [String] = []
        var position: Int64 = 1
        var answered = 1
        while answered < bench.rounds.count, answered < 100 {
            answered += 1
            let operations = bench.rounds[answered - 1].operations
            if operations.contains(where: { $0.kind == .send && $0.message == id(names[spoilt]) }) {
                bench.fail(answered, .badRequest)
            } else {
                let outcomes = operations.map { operation -> DeliveryOutcome in
                    guard operation.kind == .send else { return .fenced }
                    position += 1
                    return accepted(position)
                }
                bench.answer(answered, outcomes)
            }
            told += bench.told
        }
        #expect(told == names.map { $0 == names[spoilt] ? "\($0) failed refused" : "\($0) delivered" })
        #expect(answered <= 26, "one by one would take up to 129")
    }

    @Test func oneThatIsRefusedDoesNotStopTheOthers() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c", "d")
        bench.answer(1, accepted(1))
        bench.answer(2, accepted(2), .forbidden, accepted(3))
        #expect(bench.told == ["b delivered", "c failed refused", "d delivered"])
        #expect(
            bench.written == ["deliver b", "attempt c after 2 #1", "fail c refused", "deliver d"],
            "one commit, no link left")
        #expect(bench.untilDeadline == nil)
    }

    @Test func whatCannotBeEncodedIsSetAside() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c")
        bench.answer(1, accepted())
        bench.take(.unsendable(bench.rounds[1], [id("b")], detail: "too deep"))
        #expect(bench.told == ["b failed unsendable"])
        #expect(bench.sent == ["1<2 fence b, 2<3 send c"])
    }

    @Test func attentionStopsAllLanesAndFailsNothing() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .badToken)
        bench.create("b", lane: .media)
        bench.wait(.seconds(3600))
        #expect(bench.sent == [] && bench.told == [])
        #expect(bench.outbox.attention?.cause == .tokenRefused)
        bench.take(.attentionResolved)
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 send a", "0<2 send b"])
    }

    @Test func anAnswerThatDoesNotFitIsNoAnswer() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, accepted(), accepted())
        #expect(bench.written == ["requeue a #1"])
        #expect(bench.waitReason("a").map { "\($0)" }?.hasPrefix("offline") == true)
    }

    @Test func questionsAreNeverGivenUp() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .serverBusy)
        #expect(bench.sent == ["0<1 fence a"])
        for round in 2...20 {
            bench.fail(round, .serverBusy)
            #expect(bench.sent == [])
            bench.wait(.seconds(61))
            #expect(bench.sent == ["0<1 fence a"])
        }
    }
}
