import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Messages that waited too long become `error` instead of being sent late.
@Suite struct ExpiryTests {
    private func harness(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:], isOnline: Bool = true,
        _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> OutboxHarness {
        OutboxHarness(entries, lastTransmitted: lastTransmitted, isOnline: isOnline) {
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
    private func away(_ configure: (inout OutboxConfiguration) -> Void = { _ in }) -> OutboxHarness {
        var harness = harness([], configure)
        harness.create("z")
        harness.fail(1, .noWay)
        harness.delete("z", .created)
        return harness
    }

    @Test func nothingExpiresUnlessItIsAskedFor() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        harness.wait(.seconds(1_000_000))
        #expect(harness.told == [])
    }

    @Test func whatWaitsTooLongIsGivenUpInTime() {
        var harness = away()
        harness.create("a")
        harness.wait(.milliseconds(59_999))
        #expect(harness.told == [])
        harness.wait(.milliseconds(1))
        #expect(harness.told == ["a failed expired"])
        #expect(harness.written == ["fail a expired"], "it never left: there is nothing to ask")
    }

    @Test func whatWasDeletedBehindItIsNotKeptAtTheFront() {
        var harness = harness()
        harness.take(.paused)
        harness.create("a", "b", "c")
        harness.delete("b", .created)
        harness.delete("c", .created)
        harness.wait(.seconds(60))
        #expect(harness.told == ["a failed expired"])
        #expect(harness.outbox.depth == 0)
        #expect(harness.outbox.lanesInWords(at: harness.clock).isEmpty)
    }

    @Test func itLeavesNoHole() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .tryLater(code: "", detail: "", after: .seconds(30)))
        harness.wait(.seconds(30))
        #expect(harness.sent == ["0<1 send a, 1<2 send b"])
        harness.answer(2, .tryLater(code: "", detail: "", after: .seconds(50)), .notAttempted)
        harness.create("c")
        harness.wait(.seconds(50))
        #expect(harness.told == ["a failed expired", "b failed expired"])
        #expect(harness.sent == ["0<1 fence a, 1<2 fence b, 2<3 send c"])
    }

    @Test func eachHasItsOwnAge() {
        var harness = away()
        harness.create("a")
        harness.wait(.seconds(20))
        harness.create("b", lane: .media)
        harness.wait(.seconds(20))
        harness.create("c")
        harness.wait(.seconds(20))
        #expect(harness.told == ["a failed expired"])
        harness.wait(.seconds(20))
        #expect(harness.told == ["b failed expired"])
        harness.wait(.seconds(20))
        #expect(harness.told == ["c failed expired"])
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 retract z"])
    }

    @Test func anAttemptUnderWayIsWaitedFor() {
        var harness = harness()
        harness.create("a")
        harness.wait(.seconds(300))
        #expect(harness.told == [] && harness.untilDeadline == nil)
        harness.answer(1, accepted())
        #expect(harness.told == ["a delivered"])
    }

    @Test func whenTheAttemptHasFailedItIsTooLate() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.wait(.seconds(300))
        harness.fail(1, .serverBusy)
        #expect(harness.written.first == "requeue a #1")
        #expect(harness.told == ["a failed expired", "b failed expired"])
        #expect(harness.sent == ["0<1 fence a"])
    }

    @Test func nothingThatIsTooOldLeavesBesideAnotherAttempt() {
        var harness = harness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        #expect(harness.sent == ["1<2 send b"])
        harness.create("c")
        harness.wait(.seconds(61))
        harness.answer(1, accepted())
        #expect(harness.sent == [], "c is too old, and b is under way")
        harness.answer(2, accepted())
        #expect(harness.told == ["b delivered", "c failed expired"])
    }

    @Test func inDoubtItLeavesAQuestionAndNobodyIsToldBeforeTheVerdict() {
        var harness = harness()
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.wait(.seconds(60))
        #expect(harness.written.prefix(2) == ["fail a expired in doubt", "fence a at 1"])
        #expect(harness.told == [])
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(2, accepted())
        #expect(harness.told == ["a as stored"])
    }

    @Test func aBackoffLongerThanTheLimitIsCutShortForTheNext() {
        var harness = harness { $0.retry = RetryPolicy(interval: .seconds(600), retriesMax: 3, jitterPercent: 0) }
        harness.create("a")
        harness.fail(1, .serverBusy)
        harness.wait(.seconds(50))
        harness.create("b")
        harness.wait(.seconds(10))
        #expect(harness.told == ["a failed expired"])
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func aResendBeginsANewAge() {
        var harness = away()
        harness.create("a")
        harness.wait(.seconds(60))
        #expect(harness.told == ["a failed expired"])
        harness.resend("a")
        harness.wait(.seconds(59))
        #expect(harness.told == [])
        harness.wait(.seconds(1))
        #expect(harness.told == ["a failed expired"])
    }

    @Test func whatIsSentAgainInDoubtKeepsItsDoubtWhenItExpires() {
        var harness = harness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.wait(.seconds(60))
        #expect(harness.written == ["fail a expired in doubt"])
        #expect(harness.told == [])
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(2, .fenced)
        #expect(harness.told == ["a as stored"])
    }

    // MARK: - Clocks

    @Test func aWallClockThatIsSetForwardMakesNothingExpire() {
        var harness = away()
        harness.create("a")
        harness.wallShift = .seconds(86_400)
        harness.create("b", lane: .media)
        harness.wait(.seconds(59))
        #expect(harness.told == [])
        harness.wallShift = .seconds(-86_400)
        harness.wait(.seconds(1))
        #expect(harness.told == ["a failed expired", "b failed expired"])
    }

    @Test func theAgeAtTheStartIsThatOfTheWallClock() {
        var harness = harness([old("a", 1, seconds: 50), old("b", 2, seconds: 5)], isOnline: false)
        harness.take(.sessionBegan)
        harness.wallShift = .seconds(86_400)
        harness.wait(.seconds(9))
        #expect(harness.told == [])
        harness.wait(.seconds(1))
        #expect(harness.told == ["a failed expired"])
        harness.wait(.seconds(45))
        #expect(harness.told == ["b failed expired"])
    }

    @Test func whatIsFromTheFutureIsNew() {
        var harness = harness([old("a", 1, seconds: -86_400)], isOnline: false)
        harness.take(.sessionBegan)
        harness.wait(.seconds(59))
        #expect(harness.told == [])
        harness.wait(.seconds(1))
        #expect(harness.told == ["a failed expired"])
    }

    @Test func whatWasTooOldAtTheStartIsNotSent() {
        var harness = harness(
            [old("a", 1, seconds: 90, previous: 0), old("b", 2, seconds: 80), old("c", 3, seconds: 2)],
            lastTransmitted: [.text: 1], isOnline: false)
        harness.take(.sessionBegan)
        harness.wait(.zero)
        #expect(harness.written == ["fail a expired in doubt", "fence a at 1", "fail b expired"])
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 fence a, 1<3 send c"])
    }

    @Test func anAgeOutOfOrderIsNotSentLateEither() {
        // The wall clock was set back between the two.
        let harness = harness([old("a", 1, seconds: 0), old("b", 2, seconds: 90), old("c", 3, seconds: 1)])
        #expect(harness.told == ["b failed expired"])
        #expect(harness.sent == ["0<1 send a, 1<3 send c"])
    }

    /// The feed was reset before it reported the message; the wall clock had been set back by an hour.
    @Test func aMessageThatNoFeedReportedIsAsYoungAsItIs() {
        var harness = away()
        harness.wallShift = .seconds(-3600)
        let entry = old("a", 2, seconds: 3600)
        harness.take(
            .forked(
                OutboxSnapshot(
                    outboxID: OutboxID(UUIDv7(high: 1, low: 1)), epoch: 1, lastTransmitted: [.text: 1],
                    entries: [entry], pauses: [])))
        #expect(harness.told == [])
        harness.wait(.seconds(59))
        #expect(harness.told == [])
        harness.wait(.seconds(1))
        #expect(harness.told == ["a failed expired"])
    }

    // MARK: - With other policies

    @Test func itAgesWhileTheOutboxIsPaused() {
        var harness = harness()
        harness.take(.paused)
        harness.create("a")
        #expect(harness.outbox.canUseNews)
        harness.wait(.seconds(60))
        #expect(harness.told == ["a failed expired"])
    }

    @Test func itPausesItsLaneWhereFailuresDo() {
        var harness = away { $0.headFailure = .pauseLane }
        harness.create("a")
        harness.wait(.seconds(60))
        #expect(harness.written == ["fail a expired, pausing"])
        harness.create("b")
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 retract z"])
        #expect(harness.waitReason("b") == .lanePaused(by: id("a")))
    }

    @Test func mediaGoesOnWhenTheTextBeforeItHasExpired() {
        var harness = harness {
            $0.precedence = OrderingPolicy.mediaAfterText.precedence
            $0.retry.interval = .seconds(600)
        }
        harness.create("a")
        harness.answer(1, .busy)
        harness.wait(.seconds(30))
        harness.create("m", lane: .media)
        harness.wait(.seconds(30))
        #expect(harness.told == ["a failed expired"])
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(2, .fenced)
        #expect(harness.sent == ["0<2 send m"])
    }

    /// A message that the server has lost is new to the queue, and precedes older ones.
    @Test func whatIsOlderThanTheFirstExpiresInTime() {
        var harness = harness([old("a", 1, seconds: 0), old("b", 2, seconds: 50)], isOnline: false)
        harness.take(.sessionBegan)
        harness.wait(.seconds(10))
        #expect(harness.told == ["b failed expired"])
        harness.wait(.milliseconds(49_999))
        #expect(harness.told == [])
        harness.wait(.milliseconds(1))
        #expect(harness.told == ["a failed expired"])
    }

    @Test func whatIsQueuedAgainBeforeAnOlderMessageDelaysNoExpiry() {
        var harness = harness()
        harness.take(.paused)
        harness.create("b")
        harness.wait(.seconds(50))
        harness.take(
            .historyChanged(ServerHistory(server: "hub", id: "another", commit: 1, claim: ""), marks: [:]))
        let again = OutboxSnapshot(
            outboxID: OutboxID(UUIDv7(high: 1, low: 2)), epoch: 1, lastTransmitted: [:],
            entries: [old("a", 11, seconds: -50), old("b", 12, seconds: 0)], pauses: [], lineage: Lineage())
        harness.take(.forked(again))
        harness.wait(.seconds(10))
        #expect(harness.told == ["b failed expired"])
    }
}
