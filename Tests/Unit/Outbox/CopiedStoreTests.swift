import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// A store that was copied while its program ran: both copies have the same past, and the other one may have delivered
/// what was never sent here.
@Suite struct CopiedStoreTests {
    private static let opening = OpeningID(UUIDv7(high: 2, low: 2))

    /// The first message is delivered in this opening; nothing of the lane of `b` was sent in it.
    private func harness(with lane: LaneID, mark: Int64 = 1, expiry: Duration? = nil) -> OutboxHarness {
        let entries = [("a", LaneID.text), ("b", lane)].enumerated().map { index, entry in
            OutboxEntry(
                kind: .send, lane: entry.1, sequence: Int64(index) + 1, previous: nil, message: id(entry.0),
                attempts: 0, bytes: 10)
        }
        var harness = OutboxHarness(entries, lineage: Lineage(opening: Self.opening, openedAt: 5)) {
            $0.expiry = expiry
            $0.batchOperationsMax = 1
            $0.deliveriesInFlightTotalMax = 1
        }
        harness.take(.paused)
        harness.answer(1, [accepted()], mark: mark, opening: Self.opening)
        return harness
    }

    /// The server admits this opening in each lane by itself: until it has, the other copy may have been there first.
    @Test(arguments: [(LaneID.text, false), (.media, true)])
    func aDeletionIsSentUnlessTheServerHasConfirmedTheLane(_ lane: LaneID, isSent: Bool) {
        var harness = harness(with: lane)
        harness.delete("b", .created, lane: lane)
        #expect(harness.written == ["delete b"] + (isSent ? ["append delete b"] : []))
    }

    @Test(arguments: [(LaneID.text, false), (.media, true)])
    func whatExpiresIsAskedAboutUnlessTheServerHasConfirmedTheLane(_ lane: LaneID, isAsked: Bool) {
        var harness = harness(with: lane, expiry: .seconds(60))
        harness.wait(.seconds(61))
        #expect(harness.written == (isAsked ? ["fail b expired in doubt", "fence b at 2"] : ["fail b expired"]))
        #expect(harness.told == (isAsked ? [] : ["b failed expired"]))
    }

    /// The copy may have moved it there, or this store in an earlier opening.
    @Test(arguments: [(mark: Int64(1), isSent: false), (2, true)])
    func aMarkBehindTheBatchConfirmsNothing(mark: Int64, isSent: Bool) {
        var harness = harness(with: .text, mark: mark)
        harness.delete("b", .created)
        #expect(harness.written == ["delete b"] + (isSent ? ["append delete b"] : []))
    }

    /// The store is read again after the feed was reset; the lanes are the same ones.
    @Test func aLaneStaysConfirmedWhenTheStoreIsReadAgain() {
        var harness = harness(with: .text)
        harness.take(.feedReset)
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 2, previous: nil, message: id("b"), attempts: 0, bytes: 10)
        harness.take(
            .forked(
                OutboxSnapshot(
                    outboxID: harness.outbox.outboxID, epoch: 1, lastTransmitted: [.text: 1], entries: [entry],
                    lineage: Lineage(opening: Self.opening, openedAt: 5))))
        harness.delete("b", .created)
        #expect(harness.written == ["delete b"])
    }
}
