import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The limits of the client itself, and batches that it cancels itself.
@Suite struct AllLanesTests {
    private func lane(_ number: Int) -> LaneID { LaneID(rawValue: "text/\(number)") }

    /// A separate message for each number.
    private func name(_ number: Int) -> String { UnicodeScalar(UInt32(1000 + number)).map(String.init) ?? "" }

    private func harness(_ total: Int) -> OutboxHarness {
        OutboxHarness {
            $0.deliveriesInFlightTotalMax = total
            $0.batchOperationsMax = 1
        }
    }

    @Test func deliveriesUnderWayAreBoundedOverAllLanesAndLanesTakeTurns() {
        var harness = harness(2)
        for number in 1...5 {
            harness.create(name(number), lane: lane(number))
            harness.create(name(100 + number), lane: lane(number))
        }
        #expect(harness.batches.map(\.lane) == [lane(1), lane(2)])
        for batch in 1...10 { harness.answer(batch, accepted()) }
        let order = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5].map(lane)
        #expect(harness.batches.map(\.lane) == order)
    }

    @Test func aLaneThatCannotGoWhenItsTurnComesTakesNoRoom() {
        var harness = harness(1)
        harness.create("a", lane: lane(1))
        harness.create("b", lane: lane(2))
        harness.create("c", lane: lane(3))
        harness.delete("b", .created)
        harness.answer(1, accepted())
        #expect(harness.batches.map(\.lane) == [lane(1), lane(3)])
    }

    @Test func lanesThatWaitForRoomGoOnAfterAnOutage() {
        var harness = harness(1)
        harness.create("a", lane: lane(1))
        harness.create("b", lane: lane(2))
        harness.fail(1, .noWay)
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        harness.answer(2, accepted())
        harness.answer(3, accepted())
        #expect(Set(harness.batches.dropFirst().map(\.lane)) == [lane(1), lane(2)])
        #expect(harness.outbox.depth == 0)
    }

    @Test func anyNumberOfChannelsIsDelivered() {
        var harness = harness(4)
        for number in 1...450 { harness.create(name(number), lane: lane(number)) }
        for batch in 1...450 { harness.answer(batch, accepted()) }
        #expect(harness.outbox.depth == 0)
        #expect(harness.batches.count == 450)
    }

    @Test func whatTheClientItselfRefusesIsNeverCharged() {
        var harness = OutboxHarness()
        harness.create("a")
        for batch in 1...20 {
            harness.fail(batch, .notSent(code: "clientBusy", detail: "256 wait"))
            #expect(harness.written == ["requeue a #0"])
            #expect(harness.told == [])
            #expect(harness.untilDeadline == .seconds(1))
            #expect(harness.waitReason("a")?.description.contains("attempt") == false)
            harness.wait(.seconds(1))
        }
        harness.answer(21, accepted())
        #expect(harness.told == ["a delivered"])
    }

    @Test func aProbeThatTheClientItselfRefusesIsRepeated() {
        var harness = OutboxHarness(isOnline: false)
        harness.create("a")
        harness.take(.sessionBegan)
        harness.take(.probeFailed(.notSent(code: "clientBusy", detail: "")))
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func whatIsBrokenOffForANewTokenIsSentAgainUncharged() {
        var harness = OutboxHarness()
        harness.create("a", "b")
        for batch in 1...8 {
            guard harness.batches.count == batch else {
                Issue.record("it is not under way")
                return
            }
            harness.take(.interrupted(harness.batches[batch - 1]))
            #expect(harness.written.prefix(2) == ["requeue a #0", "requeue b #0"])
            #expect(harness.sent == ["0<1 send a, 1<2 send b"])
        }
        // Its copies may have arrived: it is in doubt when it fails for another reason.
        harness.fail(9, .serverBusy)
        for batch in 10...12 {
            harness.wait(.seconds(5))
            harness.fail(batch, .serverBusy)
        }
        #expect(harness.written.contains("fail a retriesUsedUp in doubt"))
    }

    @Test func anOrderlyEndGivesTheAttemptBack() {
        var harness = OutboxHarness()
        harness.create("a", "b")
        harness.create("m", lane: .media)
        harness.fail(2, .serverBusy)
        harness.wait(.seconds(5))
        let given = harness.outbox.mutationsToClose(at: harness.clock)
        #expect(
            given == [
                .requeue(id("a"), attempts: 0, at: harness.clock.wall),
                .requeue(id("b"), attempts: 0, at: harness.clock.wall),
                .requeue(id("m"), attempts: 1, at: harness.clock.wall),
            ])
    }

    @Test func anErrorOfTheServerMayHaveBeenApplied() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .serverFailed(code: "storeFailed", detail: "500"))
        #expect(harness.written.first == "fail a retriesUsedUp in doubt")
        #expect(harness.told == [], "not before the verdict")
        #expect(harness.sent == ["0<1 fence a"], "the server was reached")
        harness.answer(2, accepted())
        #expect(harness.told == ["a as stored"])
    }

    /// The room freed by a fork is not given to lanes that would still use their old numbers.
    @Test func nothingLeavesUnderOldNumbersOnceACopyWasNoticed() {
        var harness = OutboxHarness { $0.deliveriesInFlightTotalMax = 1 }
        harness.create("a")
        harness.create("m", lane: .media)
        harness.fail(1, .storeForked(detail: "another copy was here"))
        #expect(harness.sent == [])
        #expect(harness.batches.count == 1)
    }

    // MARK: - Numbers from outside

    private static let absurd: [DeliveryOutcome] = [
        .late(mark: 1 << 62), .late(mark: .max), .late(mark: -1), .gap(mark: .max), .gap(mark: -2),
        .accepted(ServerPosition(position: 0, acceptedAt: Timestamp(milliseconds: 0))),
    ]

    @Test(arguments: absurd)
    func aNumberOutOfRangeProvesNothingAndIsNotFollowedForEver(outcome: DeliveryOutcome) {
        var harness = OutboxHarness()
        harness.create("a")
        var written: [String] = []
        for batch in 1...4 {
            harness.answer(batch, outcome)
            written += harness.written
            harness.wait(.seconds(10))
            harness.take(.authenticated)
            harness.wait(.seconds(10))
            written += harness.written
        }
        #expect(!written.contains { $0.hasPrefix("resend") || $0 == "fork" || $0.hasPrefix("deliver") })
        #expect(written.contains("fail a retriesUsedUp in doubt"))
    }

    @Test func aMarkThatIsAheadEachTimeIsNotFollowedForEver() {
        var harness = OutboxHarness()
        harness.create("a")
        var forks: UInt64 = 0
        for batch in 1...10 where harness.batches.count == batch {
            harness.answer(batch, .late(mark: 100 * Int64(batch)))
            guard harness.written.last == "fork" else { break }
            forks += 1
            let entry = OutboxEntry(
                kind: .send, lane: .text, sequence: 1 + Int64(forks), previous: nil, message: id("a"), attempts: 0,
                bytes: 10)
            let other = OutboxID(UUIDv7(high: 2, low: forks))
            harness.take(
                .forked(OutboxSnapshot(outboxID: other, epoch: 1, lastTransmitted: [:], entries: [entry])))
            harness.wait(.seconds(15))
        }
        #expect(forks == 3)
        #expect(harness.written == ["park a"])
        #expect(harness.told == ["a as stored"])
    }
}
