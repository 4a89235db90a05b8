import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The time between attempts.
@Suite struct RetryTests {
    @Test func aPauseIsLengthenedByChanceWithinItsBound() {
        var bench = Bench { $0.retry = RetryPolicy(interval: .seconds(5), retriesMax: 200, jitterPercent: 10) }
        bench.create("a")
        var pauses: Set<Duration> = []
        for round in 1...100 {
            bench.fail(round, .serverBusy)
            let pause = bench.untilDeadline ?? .zero
            #expect((Duration.seconds(5)...Duration.milliseconds(5500)).contains(pause))
            pauses.insert(pause)
            bench.wait(pause)
        }
        #expect(pauses.count > 5, "clients must not fire at once")
    }

    @Test func thePatientPolicyWaitsTwiceAsLongEachTimeUpToFiveMinutes() {
        var bench = Bench {
            $0.retry = .patient
            $0.retry.jitterPercent = 0
        }
        bench.create("a")
        for (round, pause) in [5, 10, 20, 40, 80, 160, 300, 300, 300].enumerated() {
            bench.fail(round + 1, .serverBusy)
            #expect(bench.untilDeadline == .seconds(pause))
            bench.wait(.seconds(pause))
        }
        #expect(bench.told == [])
    }

    /// The rest of a pause is not waited for, and the number of attempts is not forgotten.
    @Test func afterARestartItIsTriedAtOnceAndThePausesGoOnGrowing() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 3, bytes: 10)
        var bench = Bench([entry], lastTransmitted: [.text: 1]) {
            $0.retry = .patient
            $0.retry.jitterPercent = 0
        }
        #expect(bench.sent == ["0<1 send a"])
        bench.fail(1, .serverBusy)
        #expect(bench.untilDeadline == .seconds(40))
    }
}
