import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// `pauseLane`: a message that fails permanently stops its lane until it is resent or deleted.
@Suite struct HeadFailureTests {
    private func harness(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:],
        pauses: [OutboxSnapshot.LanePause] = [], _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> OutboxHarness {
        OutboxHarness(entries, lastTransmitted: lastTransmitted, pauses: pauses) {
            $0.headFailure = .pauseLane
            configure(&$0)
        }
    }

    @Test func aRefusedMessageStopsItsLaneUntilItIsDeleted() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .forbidden)
        #expect(harness.written == ["fail a refused, pausing"])
        #expect(harness.told == ["a failed refused"])
        #expect(harness.sent == [] && harness.untilDeadline == nil)
        harness.create("c")
        #expect(harness.sent == [])
        harness.delete("a", .error)
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func aResendLetsTheLaneGoOnAndGoesToItsTail() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .forbidden)
        harness.resend("a")
        #expect(harness.sent == ["1<2 send b"])
        harness.answer(2, accepted())
        #expect(harness.sent == ["2<3 send a"])
    }

    @Test func theDocumentedPolicyGoesOn() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .forbidden)
        #expect(harness.written.first == "fail a refused")
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func otherLanesGoOn() {
        var harness = harness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.create("m", lane: .media)
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func nothingOvertakesTheOneThatFails() {
        var harness = harness { $0.deliveriesInFlightMax = 4 }
        harness.create("a", "b", "c")
        #expect(harness.sent == ["0<1 send a"], "one at a time")
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<2 send b"])
        harness.answer(2, .forbidden)
        #expect(harness.sent == [])
    }

    @Test func whenRetriesAreUsedUpTheQuestionIsStillAsked() {
        var harness = harness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.create("b")
        harness.fail(1, .serverBusy)
        #expect(harness.written.first == "fail a retriesUsedUp, pausing")
        #expect(harness.sent == ["0<1 fence a"], "the question, and nothing behind it")
        harness.answer(2, .fenced)
        #expect(harness.sent == [] && harness.told == [])
        harness.delete("a", .error)
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func aVerdictThatItArrivedEndsThePause() {
        var harness = harness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.create("b")
        harness.fail(1, .noAnswer)
        #expect(harness.written.first == "fail a retriesUsedUp in doubt, pausing")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(2, accepted())
        #expect(harness.told == ["a as stored"])
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func proofByAnotherWayEndsThePause() {
        var harness = harness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.create("b")
        harness.fail(1, .serverBusy)
        harness.answer(2, .busy)
        harness.take(.confirmed(id("a"), place()))
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func whatCannotBeEncodedPausesToo() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.take(.unsendable(harness.batches[0], [id("a")], detail: "too deep"))
        #expect(harness.written.first == "fail a unsendable, pausing")
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(2, .fenced)
        #expect(harness.sent == [])
        #expect(harness.waitReason("b") == .lanePaused(by: id("a")))
    }

    @Test func everyoneThatFailedMustBeDealtWith() {
        let entries = [
            OutboxEntry(
                kind: .send, lane: .text, sequence: 9, previous: nil, message: id("c"), attempts: 0, bytes: 10)
        ]
        let pauses = ["a", "b"].map { OutboxSnapshot.LanePause(lane: .text, message: id($0)) }
        var harness = harness(entries, lastTransmitted: [.text: 2], pauses: pauses)
        #expect(harness.sent == [])
        #expect(harness.waitReason("c") == .lanePaused(by: id("a")))
        harness.delete("b", .error)
        #expect(harness.sent == [])
        harness.delete("a", .error)
        #expect(harness.sent == ["2<9 send c"])
    }

    @Test func aPauseOutlivesTheProcess() {
        let entries = [
            OutboxEntry(
                kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0),
            OutboxEntry(
                kind: .send, lane: .text, sequence: 2, previous: nil, message: id("b"), attempts: 0, bytes: 10),
        ]
        let pauses = [OutboxSnapshot.LanePause(lane: .text, message: id("a"))]
        var harness = harness(entries, lastTransmitted: [.text: 1], pauses: pauses)
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(1, .fenced)
        #expect(harness.sent == [])
        harness.resend("a")
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func aPauseFromAnotherPolicyDoesNotHoldTheDocumentedOne() {
        let entries = [
            OutboxEntry(
                kind: .send, lane: .text, sequence: 2, previous: nil, message: id("b"), attempts: 0, bytes: 10)
        ]
        let pauses = [OutboxSnapshot.LanePause(lane: .text, message: id("a"))]
        let harness = OutboxHarness(entries, lastTransmitted: [.text: 1], pauses: pauses)
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func attemptsThatACrashCutOffPauseAtTheFirst() {
        let entries = [1, 2].map { number in
            OutboxEntry(
                kind: .send, lane: .text, sequence: number, previous: number - 1,
                message: id(number == 1 ? "a" : "b"), attempts: 4, bytes: 10)
        }
        let harness = harness(entries, lastTransmitted: [.text: 2])
        #expect(harness.written.first == "fail a retriesUsedUp in doubt, pausing")
        #expect(!harness.written.contains { $0.hasPrefix("fail b") })
        #expect(harness.sent == ["0<1 fence a"])
    }

    @Test func failingAgainAfterAResendPausesAgain() {
        var harness = harness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.create("b")
        harness.resend("a")
        harness.answer(2, accepted())
        harness.answer(3, .forbidden)
        harness.create("c")
        #expect(harness.sent == [])
        harness.delete("a", .error)
        #expect(harness.sent == ["3<4 send c"])
    }

    /// Only the message that it changes depends on an operation.
    @Test(arguments: [true, false])
    func aFailedOperationPausesNothing(isStored: Bool) {
        var harness = harness()
        let entries = ["a", "b"].map { harness.entry($0, .operations, isOperation: true) }
        if isStored {
            harness = self.harness(entries)
        } else {
            harness.take(.enqueued(entries))
        }
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(1, .forbidden)
        #expect(harness.written.first == "fail a refused")
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func anOperationThatIsGivenUpIsFollowedByTheNextAtOnce() {
        var harness = harness { $0.retry.retriesMax = 0 }
        let entries = ["a", "b"].map { harness.entry($0, .operations, isOperation: true) }
        harness.take(.enqueued(entries))
        harness.fail(1, .serverBusy)
        #expect(harness.written.first == "fail a retriesUsedUp")
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func whatTurnsOutToPauseNothingIsTakenOffAgain() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .forbidden)
        harness.take(.unpaused([id("a")]))
        #expect(harness.sent == ["1<2 send b"])
    }

    @Test func everyOneSaysWhyItWaits() {
        var harness = harness()
        harness.create("a")
        harness.create("b", "c")
        harness.answer(1, .forbidden)
        #expect(harness.waitReason("b") == .lanePaused(by: id("a")))
        #expect(harness.waitReason("c") == .lanePaused(by: id("a")))
        #expect(
            harness.waitReason("c")?.description
                == "lane paused by failed message \(id("a")); resend or delete it")
        #expect(harness.outbox.lanesInWords(at: harness.clock).first?.wait == .lanePaused(by: id("a")))
    }
}
