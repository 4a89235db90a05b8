import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The limits of the client itself, and batches that it cancels itself.
@Suite struct AllLanesTests {
    private func lane(_ number: Int) -> LaneID { LaneID(rawValue: "text/\(number)") }

    /// A separate message for each number.
    private func name(_ number: Int) -> String { UnicodeScalar(UInt32(1000 + number)).map(String.init) ?? "" }

    private func bench(_ total: Int) -> Bench {
        Bench {
            $0.deliveriesInFlightTotalMax = total
            $0.batchOperationsMax = 1
        }
    }

    @Test func deliveriesUnderWayAreBoundedOverAllLanesAndLanesTakeTurns() {
        var bench = bench(2)
        for number in 1...5 {
            bench.create(name(number), lane: lane(number))
            bench.create(name(100 + number), lane: lane(number))
        }
        #expect(bench.rounds.map(\.lane) == [lane(1), lane(2)])
        for round in 1...10 { bench.answer(round, accepted()) }
        let order = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5].map(lane)
        #expect(bench.rounds.map(\.lane) == order)
    }

    @Test func aLaneThatCannotGoWhenItsTurnComesTakesNoRoom() {
        var bench = bench(1)
        bench.create("a", lane: lane(1))
        bench.create("b", lane: lane(2))
        bench.create("c", lane: lane(3))
        bench.delete("b", .created)
        bench.answer(1, accepted())
        #expect(bench.rounds.map(\.lane) == [lane(1), lane(3)])
    }

    @Test func lanesThatWaitForRoomGoOnAfterAnOutage() {
        var bench = bench(1)
        bench.create("a", lane: lane(1))
        bench.create("b", lane: lane(2))
        bench.fail(1, .noWay)
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        bench.answer(2, accepted())
        bench.answer(3, accepted())
        #expect(Set(bench.rounds.dropFirst().map(\.lane)) == [lane(1), lane(2)])
        #expect(bench.outbox.depth == 0)
    }

    @Test func anyNumberOfChannelsIsDelivered() {
        var bench = bench(4)
        for number in 1...450 { bench.create(name(number), lane: lane(number)) }
        for round in 1...450 { bench.answer(round, accepted()) }
        #expect(bench.outbox.depth == 0)
        #expect(bench.rounds.count == 450)
    }

    @Test func whatTheClientItselfRefusesIsNeverCharged() {
        var bench = Bench()
        bench.create("a")
        for round in 1...20 {
            bench.fail(round, .notSent(code: "clientBusy", detail: "256 wait"))
            #expect(bench.written == ["requeue a #0"])
            #expect(bench.told == [])
            #expect(bench.untilDeadline == .seconds(1))
            #expect(bench.waitReason("a")?.description.contains("attempt") == false)
            bench.wait(.seconds(1))
        }
        bench.answer(21, accepted())
        #expect(bench.told == ["a delivered"])
    }

    @Test func aProbeThatTheClientItselfRefusesIsRepeated() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        bench.take(.sessionBegan)
        bench.take(.probeFailed(.notSent(code: "clientBusy", detail: "")))
        bench.wait(.seconds(1))
        #expect(bench.probes == 1)
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func whatIsBrokenOffForANewTokenIsSentAgainUncharged() {
        var bench = Bench()
        bench.create("a", "b")
        for round in 1...8 {
            guard bench.rounds.count == round else {
                Issue.record("it is not under way")
                return
            }
            bench.take(.interrupted(bench.rounds[round - 1]))
            #expect(bench.written.prefix(2) == ["requeue a #0", "requeue b #0"])
            #expect(bench.sent == ["0<1 send a, 1<2 send b"])
        }
        // Its copies may have arrived: it is in doubt when it fails for another reason.
        bench.fail(9, .serverBusy)
        for round in 10...12 {
            bench.wait(.seconds(5))
            bench.fail(round, .serverBusy)
        }
        #expect(bench.written.contains("fail a retriesUsedUp in doubt"))
    }

    @Test func anOrderlyEndGivesTheAttemptBack() {
        var bench = Bench()
        bench.create("a", "b")
        bench.create("m", lane: .media)
        bench.fail(2, .serverBusy)
        bench.wait(.seconds(5))
        let given = bench.outbox.mutationsToClose(at: bench.moment)
        #expect(
            given == [
                .requeue(id("a"), attempts: 0, at: bench.moment.wall),
                .requeue(id("b"), attempts: 0, at: bench.moment.wall),
                .requeue(id("m"), attempts: 1, at: bench.moment.wall),
            ])
    }

    @Test func anErrorOfTheServerMayHaveBeenApplied() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .serverFailed(code: "storeFailed", detail: "500"))
        #expect(bench.written.first == "fail a retriesUsedUp in doubt")
        #expect(bench.told == [], "not before the verdict")
        #expect(bench.sent == ["0<1 fence a"], "the server was reached")
        bench.answer(2, accepted())
        #expect(bench.told == ["a as stored"])
    }

    /// The room freed by a fork is not given to lanes that would still use their old numbers.
    @Test func nothingLeavesUnderOldNumbersOnceACopyWasNoticed() {
        var bench = Bench { $0.deliveriesInFlightTotalMax = 1 }
        bench.create("a")
        bench.create("m", lane: .media)
        bench.fail(1, .storeForked(detail: "another copy was here"))
        #expect(bench.sent == [])
        #expect(bench.rounds.count == 1)
    }

    // MARK: - Numbers from outside

    private static let absurd: [DeliveryOutcome] = [
        .late(mark: 1 << 62), .late(mark: .max), .late(mark: -1), .gap(mark: .max), .gap(mark: -2),
        .accepted(Placement(position: 0, acceptedAt: Timestamp(milliseconds: 0))),
    ]

    @Test(arguments: absurd)
    func aNumberOutOfRangeProvesNothingAndIsNotFollowedForEver(outcome: DeliveryOutcome) {
        var bench = Bench()
        bench.create("a")
        var written: [String] = []
        for round in 1...4 {
            bench.answer(round, outcome)
            written += bench.written
            bench.wait(.seconds(10))
            bench.take(.greeted)
            bench.wait(.seconds(10))
            written += bench.written
        }
        #expect(!written.contains { $0.hasPrefix("resend") || $0.hasPrefix("raise") || $0.hasPrefix("deliver") })
        #expect(written.contains("fail a retriesUsedUp in doubt"))
    }

    @Test func aMarkThatIsAheadEachTimeIsNotFollowedForEver() {
        var bench = Bench()
        bench.create("a")
        var mark: Int64 = 100
        var resends = 0
        for round in 1...10 where bench.rounds.count == round {
            bench.answer(round, .late(mark: mark))
            guard bench.written.contains("resend a") else { break }
            resends += 1
            bench.take(
                .enqueued([
                    OutboxEntry(
                        kind: .send, lane: .text, sequence: mark + 1, previous: nil, message: id("a"), attempts: 0,
                        bytes: 10)
                ]))
            mark += 100
        }
        #expect(resends == 3)
        #expect(bench.written == ["park a"])
        #expect(bench.told == ["a as stored"])
    }
}
