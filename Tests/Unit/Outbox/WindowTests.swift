import CausewayModels
import CausewayOutbox
import Testing

/// Several batches of a lane in flight at once.
@Suite struct WindowTests {
    private func window(_ count: Int = 3) -> OutboxHarness { OutboxHarness { $0.deliveriesInFlightMax = count } }

    @Test func whatIsCreatedLeavesWhileOthersAreUnderWay() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.create("c")
        harness.create("d")
        #expect(harness.batches.count == 3)
        #expect(harness.batches[2].operations.first?.previous == 2)
        #expect(harness.batches[2].countedMessage == nil, "only the oldest round is charged")
        harness.answer(1, accepted())
        #expect(harness.sent == ["3<4 send d"])
    }

    @Test func answersOutOfOrderAreTakenInOrder() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.create("c")
        harness.answer(3, accepted(3))
        harness.answer(2, .forbidden)
        #expect(harness.told == [])
        harness.answer(1, accepted(1))
        #expect(harness.told == ["a delivered", "b failed refused", "c delivered"])
    }

    @Test func oneThatIsRefusedDoesNotStopWhatIsUnderWay() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .forbidden)
        #expect(harness.sent == [])
        harness.answer(2, accepted())
        #expect(harness.told == ["b delivered"])
    }

    @Test func aFailureOfTheFirstTakesAllBack() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.create("c")
        harness.fail(1, .serverBusy)
        #expect(harness.written == ["requeue a #1", "requeue b #0", "requeue c #0"])
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send a"], "alone, until something is accepted")
        harness.answer(4, accepted())
        #expect(harness.sent == ["1<2 send b, 2<3 send c"])
    }

    @Test func tryLaterTakesBackWhatIsBehindIt() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .busy)
        #expect(harness.written == ["requeue a #1", "requeue b #0"])
        harness.answer(2, .gap(mark: 0))
        #expect(harness.written == [], "the answer belongs to an old round")
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func aReorderedWindowGoesOnWithoutAPause() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.create("c")
        harness.answer(2, .gap(mark: 0))
        harness.answer(3, .gap(mark: 1))
        harness.answer(1, accepted())
        #expect(harness.told == ["a delivered"])
        #expect(harness.sent == ["1<2 send b, 2<3 send c"])
    }

    @Test func aFailureInTheMiddleChargesNobody() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.fail(2, .noAnswer)
        #expect(harness.written == ["requeue a #0", "requeue b #0"])
    }

    @Test func aDeletionInTheMiddleOfAFlight() {
        var harness = window()
        harness.create("a")
        harness.create("b")
        harness.create("c")
        harness.delete("b", .syncing)
        harness.answer(1, accepted(1))
        harness.answer(2, accepted(2))
        #expect(harness.written == ["done 2", "append delete b"])
        harness.answer(3, accepted(3))
        #expect(harness.told == ["c delivered"])
    }
}
