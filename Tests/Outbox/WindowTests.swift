import CausewayModels
import CausewayOutbox
import Testing

/// Several batches of a lane in flight at once.
@Suite struct WindowTests {
    private func window(_ count: Int = 3) -> Bench { Bench { $0.deliveriesInFlightMax = count } }

    @Test func whatIsCreatedLeavesWhileOthersAreUnderWay() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.create("c")
        bench.create("d")
        #expect(bench.rounds.count == 3)
        #expect(bench.rounds[2].operations.first?.previous == 2)
        #expect(bench.rounds[2].charged == nil, "only the oldest round is charged")
        bench.answer(1, accepted())
        #expect(bench.sent == ["3<4 send d"])
    }

    @Test func answersOutOfOrderAreTakenInOrder() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.create("c")
        bench.answer(3, accepted(3))
        bench.answer(2, .forbidden)
        #expect(bench.told == [])
        bench.answer(1, accepted(1))
        #expect(bench.told == ["a delivered", "b failed refused", "c delivered"])
    }

    @Test func oneThatIsRefusedDoesNotStopWhatIsUnderWay() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .forbidden)
        #expect(bench.sent == [])
        bench.answer(2, accepted())
        #expect(bench.told == ["b delivered"])
    }

    @Test func aFailureOfTheFirstTakesAllBack() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.create("c")
        bench.fail(1, .serverBusy)
        #expect(bench.written == ["requeue a #1", "requeue b #0", "requeue c #0"])
        bench.wait(.seconds(5))
        #expect(bench.sent == ["0<1 send a"], "alone, until something is accepted")
        bench.answer(4, accepted())
        #expect(bench.sent == ["1<2 send b, 2<3 send c"])
    }

    @Test func tryLaterTakesBackWhatIsBehindIt() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .busy)
        #expect(bench.written == ["requeue a #1", "requeue b #0"])
        bench.answer(2, .gap(mark: 0))
        #expect(bench.written == [], "the answer belongs to an old round")
        bench.wait(.seconds(5))
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func aReorderedWindowGoesOnWithoutAPause() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.create("c")
        bench.answer(2, .gap(mark: 0))
        bench.answer(3, .gap(mark: 1))
        bench.answer(1, accepted())
        #expect(bench.told == ["a delivered"])
        #expect(bench.sent == ["1<2 send b, 2<3 send c"])
    }

    @Test func aFailureInTheMiddleChargesNobody() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.fail(2, .noAnswer)
        #expect(bench.written == ["requeue a #0", "requeue b #0"])
    }

    @Test func aDeletionInTheMiddleOfAFlight() {
        var bench = window()
        bench.create("a")
        bench.create("b")
        bench.create("c")
        bench.delete("b", .syncing)
        bench.answer(1, accepted(1))
        bench.answer(2, accepted(2))
        #expect(bench.written == ["done 2", "append delete b"])
        bench.answer(3, accepted(3))
        #expect(bench.told == ["c delivered"])
    }
}
