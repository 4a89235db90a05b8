import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// `pauseLane`: a message that fails permanently stops its lane until it is resent or deleted.
@Suite struct HeadFailureTests {
    private func bench(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:],
        pauses: [OutboxSnapshot.LanePause] = [], _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> Bench {
        Bench(entries, lastTransmitted: lastTransmitted, pauses: pauses) {
            $0.headFailure = .pauseLane
            configure(&$0)
        }
    }

    @Test func aRefusedMessageStopsItsLaneUntilItIsDeleted() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .forbidden)
        #expect(bench.written == ["fail a refused, pausing"])
        #expect(bench.told == ["a failed refused"])
        #expect(bench.sent == [] && bench.untilDeadline == nil)
        bench.create("c")
        #expect(bench.sent == [])
        bench.delete("a", .error)
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func aResendLetsTheLaneGoOnAndGoesToItsTail() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .forbidden)
        bench.resend("a")
        #expect(bench.sent == ["1<2 send b"])
        bench.answer(2, accepted())
        #expect(bench.sent == ["2<3 send a"])
    }

    @Test func theDocumentedPolicyGoesOn() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .forbidden)
        #expect(bench.written.first == "fail a refused")
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func otherLanesGoOn() {
        var bench = bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.create("m", lane: .media)
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func nothingOvertakesTheOneThatFails() {
        var bench = bench { $0.deliveriesInFlightMax = 4 }
        bench.create("a", "b", "c")
        #expect(bench.sent == ["0<1 send a"], "one at a time")
        bench.answer(1, accepted())
        #expect(bench.sent == ["1<2 send b"])
        bench.answer(2, .forbidden)
        #expect(bench.sent == [])
    }

    @Test func whenRetriesAreUsedUpTheQuestionIsStillAsked() {
        var bench = bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.create("b")
        bench.fail(1, .serverBusy)
        #expect(bench.written.first == "fail a retriesUsedUp, pausing")
        #expect(bench.sent == ["0<1 fence a"], "the question, and nothing behind it")
        bench.answer(2, .fenced)
        #expect(bench.sent == [] && bench.told == [])
        bench.delete("a", .error)
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func aVerdictThatItArrivedEndsThePause() {
        var bench = bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.create("b")
        bench.fail(1, .noAnswer)
        #expect(bench.written.first == "fail a retriesUsedUp in doubt, pausing")
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(2, accepted())
        #expect(bench.told == ["a as stored"])
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func proofByAnotherWayEndsThePause() {
        var bench = bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.create("b")
        bench.fail(1, .serverBusy)
        bench.answer(2, .busy)
        bench.take(.proven(id("a"), place()))
        bench.wait(.seconds(5))
        #expect(bench.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func whatCannotBeEncodedPausesToo() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.take(.unsendable(bench.rounds[0], [id("a")], detail: "too deep"))
        #expect(bench.written.first == "fail a unsendable, pausing")
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(2, .fenced)
        #expect(bench.sent == [])
        #expect(bench.waitReason("b") == .lanePaused(by: id("a")))
    }

    @Test func everyoneThatFailedMustBeDealtWith() {
        let entries = [
            OutboxEntry(
                kind: .send, lane: .text, sequence: 9, previous: nil, message: id("c"), attempts: 0, bytes: 10)
        ]
        let pauses = ["a", "b"].map { OutboxSnapshot.LanePause(lane: .text, message: id($0)) }
        var bench = bench(entries, lastTransmitted: [.text: 2], pauses: pauses)
        #expect(bench.sent == [])
        #expect(bench.waitReason("c") == .lanePaused(by: id("a")))
        bench.delete("b", .error)
        #expect(bench.sent == [])
        bench.delete("a", .error)
        #expect(bench.sent == ["2<9 send c"])
    }

    @Test func aPauseOutlivesTheProcess() {
        let entries = [
            OutboxEntry(
                kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0),
            OutboxEntry(
                kind: .send, lane: .text, sequence: 2, previous: nil, message: id("b"), attempts: 0, bytes: 10),
        ]
        let pauses = [OutboxSnapshot.LanePause(lane: .text, message: id("a"))]
        var bench = bench(entries, lastTransmitted: [.text: 1], pauses: pauses)
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(1, .fenced)
        #expect(bench.sent == [])
        bench.resend("a")
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func aPauseFromAnotherPolicyDoesNotHoldTheDocumentedOne() {
        let entries = [
            OutboxEntry(
                kind: .send, lane: .text, sequence: 2, previous: nil, message: id("b"), attempts: 0, bytes: 10)
        ]
        let pauses = [OutboxSnapshot.LanePause(lane: .text, message: id("a"))]
        let bench = Bench(entries, lastTransmitted: [.text: 1], pauses: pauses)
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func attemptsThatACrashCutOffPauseAtTheFirst() {
        let entries = [1, 2].map { number in
            OutboxEntry(
                kind: .send, lane: .text, sequence: number, previous: number - 1,
                message: id(number == 1 ? "a" : "b"), attempts: 4, bytes: 10)
        }
        let bench = bench(entries, lastTransmitted: [.text: 2])
        #expect(bench.written.first == "fail a retriesUsedUp in doubt, pausing")
        #expect(!bench.written.contains { $0.hasPrefix("fail b") })
        #expect(bench.sent == ["0<1 fence a"])
    }

    @Test func failingAgainAfterAResendPausesAgain() {
        var bench = bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.create("b")
        bench.resend("a")
        bench.answer(2, accepted())
        bench.answer(3, .forbidden)
        bench.create("c")
        #expect(bench.sent == [])
        bench.delete("a", .error)
        #expect(bench.sent == ["3<4 send c"])
    }

    @Test func whatTurnsOutToPauseNothingIsTakenOffAgain() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .forbidden)
        bench.take(.unpaused([id("a")]))
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func everyOneSaysWhyItWaits() {
        var bench = bench()
        bench.create("a")
        bench.create("b", "c")
        bench.answer(1, .forbidden)
        #expect(bench.waitReason("b") == .lanePaused(by: id("a")))
        #expect(bench.waitReason("c") == .lanePaused(by: id("a")))
        #expect(
            bench.waitReason("c")?.description
                == "its lane is paused by the failed message \(id("a")); resend or delete that one")
        #expect(bench.outbox.lanesInWords(at: bench.moment).first?.wait == .lanePaused(by: id("a")))
    }
}
