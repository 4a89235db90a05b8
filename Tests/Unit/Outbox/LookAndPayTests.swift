import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Faults that were found by checking after every step whether any further step is planned, and with messages that
/// crash the process.
@Suite struct LookAndPayTests {
    /// The token was renewed, and the next probe meets a busy server: it can be reached, and nothing else would ever be
    /// planned.
    @Test(arguments: [TransportError.serverBusy, .rateLimited(after: .seconds(5), detail: "")])
    func afterARenewedTokenABusyServerIsStillSentTo(_ error: TransportError) {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .badToken)
        harness.take(.actionResolved)
        harness.take(.probeFailed(error))
        if harness.sent.isEmpty { harness.wait(.seconds(5)) }
        #expect(harness.sent == ["0<1 send a"])
    }

    /// The message behind them does not fit into their batch, so it cannot end their pause.
    @Test func questionsThatFillADeliveryKeepTheirPause() {
        let links = [("a", OutboxEntry.Kind.fence, 0), ("b", .fence, 1), ("c", .send, nil)] as [(_, _, Int64?)]
        let entries = links.enumerated().map { index, link in
            OutboxEntry(
                kind: link.1, lane: .text, sequence: Int64(index + 1), previous: link.2, message: id(link.0),
                attempts: 0, bytes: 10)
        }
        var harness = OutboxHarness(entries, lastTransmitted: [.text: 2]) { $0.batchOperationsMax = 2 }
        #expect(harness.batches.map(\.operations.count) == [2])
        harness.fail(1, .serverBusy)
        #expect(harness.sent == [])
        harness.wait(.seconds(15))
        #expect(harness.sent != [])
    }

    /// A fence is sent first, in a batch of its own, and the message behind it crashes the process: it must have been
    /// charged for that when the process starts again.
    @Test func aMessageBehindAQuestionPaysForItsAttempt() {
        let question = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        let message = OutboxEntry(
            kind: .send, lane: .text, sequence: 2, previous: nil, message: id("b"), attempts: 0, bytes: 10)
        let harness = OutboxHarness([question, message], lastTransmitted: [.text: 1]) { configuration in
            configuration.batchOperationsMax = 1
            configuration.deliveriesInFlightMax = 2
        }
        #expect(harness.batches.map(\.operations.first?.kind) == [.fence, .send])
        #expect(harness.batches.map(\.countedMessage) == [nil, id("b")])
    }
}
