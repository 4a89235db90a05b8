import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Every situation has a reason for waiting.
@Suite struct WaitReasonTests {
    private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test func inFlightAndBehindIt() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        #expect(harness.waitReason("a") == .inFlight(since: at(0)))
        #expect(harness.waitReason("b") == .behind(id("a")))
        harness.answer(1, accepted())
        #expect(harness.waitReason("a") == nil)
    }

    @Test func backingOff() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.fail(1, .serverBusy)
        #expect(harness.waitReason("a") == .backingOff(until: at(5), attempts: 1))
        #expect(harness.waitReason("b") == .behind(id("a")))
    }

    @Test func offlineAndSettling() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        #expect(harness.waitReason("a") == .offline(detail: "no way", nextProbe: at(1)))
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        #expect(harness.waitReason("a") == .settling(until: at(2)))
    }

    @Test func rateLimited() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .rateLimited(after: .seconds(9), detail: ""))
        #expect(harness.waitReason("a") == .rateLimited(until: at(9)))
    }

    /// The server did not ask to wait: the reason is another one, and the pause at most 15 seconds.
    @Test func startingOverAgainAndAgain() {
        var harness = OutboxHarness()
        harness.create("a")
        var pauses: [Duration] = []
        for batch in 1...7 {
            harness.fail(batch, .storeForked(detail: ""))
            let entry = OutboxEntry(
                kind: .send, lane: .text, sequence: Int64(batch) + 1, previous: nil, message: id("a"), attempts: 0,
                bytes: 10)
            let other = OutboxID(UUIDv7(high: 2, low: UInt64(batch)))
            harness.take(.forked(OutboxSnapshot(outboxID: other, epoch: 1, lastTransmitted: [:], entries: [entry])))
            if batch > 1 {
                guard case .startingOver = harness.waitReason("a") else {
                    Issue.record("the reason is \(String(describing: harness.waitReason("a")))")
                    return
                }
            }
            let start = harness.now
            while harness.batches.count == batch, let next = harness.untilDeadline { harness.wait(next) }
            pauses.append(harness.now - start)
        }
        #expect(pauses == [0, 5, 10, 15, 15, 15, 15].map { .seconds($0) })
    }

    @Test func actionRequired() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .badToken)
        #expect(harness.waitReason("a") == .actionRequired(ActionRequired(cause: .tokenRefused, detail: "401")))
    }

    @Test func pausedAndWithoutASession() {
        var harness = OutboxHarness(isOnline: false)
        harness.create("a")
        #expect(harness.waitReason("a") == .noSession)
        harness.take(.sessionBegan)
        #expect(harness.waitReason("a") == .offline(detail: "looking for the server", nextProbe: nil))
        harness.take(.paused)
        #expect(harness.waitReason("a") == .paused)
    }

    @Test func failedAndUnknownDoNotWait() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .forbidden)
        #expect(harness.waitReason("a") == nil)
        #expect(harness.waitReason("z") == nil)
    }

    @Test func lanesSayWhyTheirOldestWaits() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.fail(1, .serverBusy)
        let lanes = harness.outbox.lanesInWords(at: harness.clock)
        #expect(lanes.count == 1)
        #expect(lanes.first?.lane == .text && lanes.first?.depth == 2 && lanes.first?.head == id("a"))
        #expect(lanes.first?.wait == .backingOff(until: at(5), attempts: 1))
    }
}
