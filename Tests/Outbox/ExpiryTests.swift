import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Messages that waited too long become `error` instead of being sent late.
@Suite struct ExpiryTests {
    private func bench(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:], isOnline: Bool = true,
        _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> Bench {
        Bench(entries, lastTransmitted: lastTransmitted, isOnline: isOnline) {
            $0.expiry = .seconds(60)
            configure(&$0)
        }
    }

    /// A message that the store held at the start, with its age by the wall clock.
    private func old(
        _ name: String, _ sequence: Int64, seconds: Int64, previous: Int64? = nil
    ) -> OutboxEntry {
        OutboxEntry(
            kind: .send, lane: .text, sequence: sequence, previous: previous, message: id(name), attempts: 0, bytes: 10,
            queuedAt: Timestamp(milliseconds: -1000 * seconds))
    }

    /// A server that was reached once and is unreachable now.
    private func away(_ configure: (inout OutboxConfiguration) -> Void = { _ in }) -> Bench {
        var bench = bench([], configure)
        bench.create("z")
        bench.fail(1, .noWay)
        bench.delete("z", .created)
        return bench
    }

    @Test func nothingExpiresUnlessItIsAskedFor() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        bench.wait(.seconds(1_000_000))
        #expect(bench.told == [])
    }

    @Test func whatWaitsTooLongIsGivenUpInTime() {
        var bench = away()
        bench.create("a")
        bench.wait(.milliseconds(59_999))
        #expect(bench.told == [])
        bench.wait(.milliseconds(1))
        #expect(bench.told == ["a failed expired"])
        #expect(bench.written == ["fail a expired"], "it never left: there is nothing to ask")
    }

    @Test func whatWasDeletedBehindItIsNotKeptAtTheFront() {
        var bench = bench()
        bench.take(.paused)
        bench.create("a", "b", "c")
        bench.delete("b", .created)
        bench.delete("c", .created)
        bench.wait(.seconds(60))
        #expect(bench.told == ["a failed expired"])
        #expect(bench.outbox.depth == 0)
        #expect(bench.outbox.lanesInWords(at: bench.moment).isEmpty)
    }

    @Test func itLeavesNoHole() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .tryLater(code: "", detail: "", after: .seconds(30)))
        bench.wait(.seconds(30))
        #expect(bench.sent == ["0<1 send a, 1<2 send b"])
        bench.answer(2, .tryLater(code: "", detail: "", after: .seconds(50)), .notAttempted)
        bench.create("c")
        bench.wait(.seconds(50))
        #expect(bench.told == ["a failed expired", "b failed expired"])
        #expect(bench.sent == ["0<1 fence a, 1<2 fence b, 2<3 send c"])
    }

    @Test func eachHasItsOwnAge() {
        var bench = away()
        bench.create("a")
        bench.wait(.seconds(20))
        bench.create("b", lane: .media)
        bench.wait(.seconds(20))
        bench.create("c")
        bench.wait(.seconds(20))
        #expect(bench.told == ["a failed expired"])
        bench.wait(.seconds(20))
        #expect(bench.told == ["b failed expired"])
        bench.wait(.seconds(20))
        #expect(bench.told == ["c failed expired"])
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 retract z"])
    }

    @Test func anAttemptUnderWayIsWaitedFor() {
        var bench = bench()
        bench.create("a")
        bench.wait(.seconds(300))
        #expect(bench.told == [] && bench.untilDeadline == nil)
        bench.answer(1, accepted())
        #expect(bench.told == ["a delivered"])
    }

    @Test func whenTheAttemptHasFailedItIsTooLate() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.wait(.seconds(300))
        bench.fail(1, .serverBusy)
        #expect(bench.written.first == "requeue a #1")
        #expect(bench.told == ["a failed expired", "b failed expired"])
        #expect(bench.sent == ["0<1 fence a"])
    }

    @Test func nothingThatIsTooOldLeavesBesideAnotherAttempt() {
        var bench = bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        #expect(bench.sent == ["1<2 send b"])
        bench.create("c")
        bench.wait(.seconds(61))
        bench.answer(1, accepted())
        #expect(bench.sent == [], "c is too old, and b is under way")
        bench.answer(2, accepted())
        #expect(bench.told == ["b delivered", "c failed expired"])
    }

    @Test func inDoubtItLeavesAQuestionAndNobodyIsToldBeforeTheVerdict() {
        var bench = bench()
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.wait(.seconds(60))
        #expect(bench.written.prefix(2) == ["fail a expired in doubt", "fence a at 1"])
        #expect(bench.told == [])
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(2, accepted())
        #expect(bench.told == ["a as stored"])
    }

    @Test func aBackoffLongerThanTheLimitIsCutShortForTheNext() {
        var bench = bench { $0.retry = RetryPolicy(interval: .seconds(600), retriesMax: 3, jitterPercent: 0) }
        bench.create("a")
        bench.fail(1, .serverBusy)
        bench.wait(.seconds(50))
        bench.create("b")
        bench.wait(.seconds(10))
        #expect(bench.told == ["a failed expired"])
        #expect(bench.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func aResendBeginsANewAge() {
        var bench = away()
        bench.create("a")
        bench.wait(.seconds(60))
        #expect(bench.told == ["a failed expired"])
        bench.resend("a")
        bench.wait(.seconds(59))
        #expect(bench.told == [])
        bench.wait(.seconds(1))
        #expect(bench.told == ["a failed expired"])
    }

    @Test func whatIsSentAgainInDoubtKeepsItsDoubtWhenItExpires() {
        var bench = bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.wait(.seconds(60))
        #expect(bench.written == ["fail a expired in doubt"])
        #expect(bench.told == [])
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(2, .fenced)
        #expect(bench.told == ["a as stored"])
    }

    // MARK: - Clocks

    @Test func aWallClockThatIsSetForwardMakesNothingExpire() {
        var bench = away()
        bench.create("a")
        bench.wallShift = .seconds(86_400)
        bench.create("b", lane: .media)
        bench.wait(.seconds(59))
        #expect(bench.told == [])
        bench.wallShift = .seconds(-86_400)
        bench.wait(.seconds(1))
        #expect(bench.told == ["a failed expired", "b failed expired"])
    }

    @Test func theAgeAtTheStartIsThatOfTheWallClock() {
        var bench = bench([old("a", 1, seconds: 50), old("b", 2, seconds: 5)], isOnline: false)
        bench.take(.sessionBegan)
        bench.wallShift = .seconds(86_400)
        bench.wait(.seconds(9))
        #expect(bench.told == [])
        bench.wait(.seconds(1))
        #expect(bench.told == ["a failed expired"])
        bench.wait(.seconds(45))
        #expect(bench.told == ["b failed expired"])
    }

    @Test func whatIsFromTheFutureIsNew() {
        var bench = bench([old("a", 1, seconds: -86_400)], isOnline: false)
        bench.take(.sessionBegan)
        bench.wait(.seconds(59))
        #expect(bench.told == [])
        bench.wait(.seconds(1))
        #expect(bench.told == ["a failed expired"])
    }

    @Test func whatWasTooOldAtTheStartIsNotSent() {
        var bench = bench(
            [old("a", 1, seconds: 90, previous: 0), old("b", 2, seconds: 80), old("c", 3, seconds: 2)],
            lastTransmitted: [.text: 1], isOnline: false)
        bench.take(.sessionBegan)
        bench.wait(.zero)
        #expect(bench.written == ["fail a expired in doubt", "fence a at 1", "fail b expired"])
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 fence a, 1<3 send c"])
    }

    @Test func anAgeOutOfOrderIsNotSentLateEither() {
        // The wall clock was set back between the two.
        var bench = bench([old("a", 1, seconds: 0), old("b", 2, seconds: 90), old("c", 3, seconds: 1)])
        #expect(bench.sent == ["0<1 send a"])
        bench.answer(1, accepted())
        #expect(bench.told == ["a delivered", "b failed expired"])
        #expect(bench.sent == ["1<3 send c"])
    }

    // MARK: - With other policies

    @Test func itAgesWhileTheOutboxIsPaused() {
        var bench = bench()
        bench.take(.paused)
        bench.create("a")
        #expect(bench.outbox.canUseNews)
        bench.wait(.seconds(60))
        #expect(bench.told == ["a failed expired"])
    }

    @Test func itPausesItsLaneWhereFailuresDo() {
        var bench = away { $0.headFailure = .pauseLane }
        bench.create("a")
        bench.wait(.seconds(60))
        #expect(bench.written == ["fail a expired, pausing"])
        bench.create("b")
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 retract z"])
        #expect(bench.waitReason("b") == .lanePaused(by: id("a")))
    }

    @Test func mediaGoesOnWhenTheTextBeforeItHasExpired() {
        var bench = bench {
            $0.precedence = OrderingPolicy.mediaAfterText.precedence
            $0.retry.interval = .seconds(600)
        }
        bench.create("a")
        bench.answer(1, .busy)
        bench.wait(.seconds(30))
        bench.create("m", lane: .media)
        bench.wait(.seconds(30))
        #expect(bench.told == ["a failed expired"])
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(2, .fenced)
        #expect(bench.sent == ["0<2 send m"])
    }
}
