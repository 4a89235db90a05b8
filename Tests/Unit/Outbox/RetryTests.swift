import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The time between attempts.
@Suite struct RetryTests {
    @Test func aPauseIsLengthenedByChanceWithinItsBound() {
        var harness = OutboxHarness {
            $0.retry = RetryPolicy(interval: .seconds(5), retriesMax: 200, jitterPercent: 10)
        }
        harness.create("a")
        var pauses: Set<Duration> = []
        for batch in 1...100 {
            harness.fail(batch, .serverBusy)
            let pause = harness.untilDeadline ?? .zero
            #expect((Duration.seconds(5)...Duration.milliseconds(5500)).contains(pause))
            pauses.insert(pause)
            harness.wait(pause)
        }
        #expect(pauses.count > 5, "clients must not fire at once")
    }

    @Test func thePatientPolicyWaitsTwiceAsLongEachTimeUpToFiveMinutes() {
        var harness = OutboxHarness {
            $0.retry = .patient
            $0.retry.jitterPercent = 0
        }
        harness.create("a")
        for (batch, pause) in [5, 10, 20, 40, 80, 160, 300, 300, 300].enumerated() {
            harness.fail(batch + 1, .serverBusy)
            #expect(harness.untilDeadline == .seconds(pause))
            harness.wait(.seconds(pause))
        }
        #expect(harness.told == [])
    }

    /// The rest of a pause is not waited for, and the number of attempts is not forgotten.
    @Test func afterARestartItIsTriedAtOnceAndThePausesGoOnGrowing() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 3, bytes: 10)
        var harness = OutboxHarness([entry], lastTransmitted: [.text: 1]) {
            $0.retry = .patient
            $0.retry.jitterPercent = 0
        }
        #expect(harness.sent == ["0<1 send a"])
        harness.fail(1, .serverBusy)
        #expect(harness.untilDeadline == .seconds(40))
    }
}
