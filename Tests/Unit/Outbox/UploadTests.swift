import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Uploads of attachments that messages need: they run ahead, and the messages keep the order of their lanes.
struct UploadTests {
    /// Creates media messages; all in one commit.
    private func create(
        _ names: String..., lane: LaneID = .media, in harness: inout OutboxHarness, upload: AttachmentUpload? = nil
    ) {
        harness.take(
            .enqueued(
                names.map { name in
                    var entry = harness.entry(name, lane)
                    entry.upload = upload ?? AttachmentUpload(total: 1000)
                    return entry
                }))
    }

    @Test func anAttachmentIsUploadedBeforeItsMessageIsSent() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        #expect(harness.uploads == ["a"])
        #expect(harness.written == ["begin #1 a"])
        #expect(harness.sent == [])
        #expect(harness.waitReason("a") == .uploading(sent: 0, total: 1000))
        harness.take(.upload(1, .opened(session: "/u/1")))
        #expect(harness.written == ["open /u/1 a"])
        harness.take(.upload(1, .progressed(sent: 400)))
        #expect(harness.written == ["progress a"])
        harness.take(.upload(1, .progressed(sent: 700)))
        #expect(harness.written == [])
        #expect(harness.waitReason("a") == .uploading(sent: 700, total: 1000))
        harness.take(.upload(1, .uploaded(receipt: "r")))
        #expect(harness.written == ["receipt r a", "attempt a after 0 #1"])
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(1, accepted())
        #expect(harness.told == ["a delivered"])
    }

    @Test func textDoesNotWaitAndMediaKeepsItsOrder() {
        var harness = OutboxHarness()
        create("a", "b", "c", in: &harness)
        #expect(harness.uploads == ["a", "b"])
        harness.create("t")
        #expect(harness.sent == ["0<4 send t"])
        harness.take(.upload(2, .uploaded(receipt: "b")))
        #expect(harness.uploads == ["c"])
        #expect(harness.sent == [])
        #expect(harness.waitReason("b") == .behind(id("a")))
        harness.take(.upload(1, .uploaded(receipt: "a")))
        #expect(harness.sent == ["0<1 send a, 1<2 send b"])
    }

    @Test func underStrictOrderTextWaitsForTheUploadBeforeIt() {
        var harness = OutboxHarness()
        create("a", lane: .text, in: &harness)
        harness.create("t")
        #expect(harness.sent == [])
        #expect(harness.waitReason("t") == .behind(id("a")))
        harness.take(.upload(1, .uploaded(receipt: "a")))
        #expect(harness.sent == ["0<1 send a, 1<2 send t"])
    }

    @Test func whatIsBeforeAnUploadInItsLaneIsSent() {
        var harness = OutboxHarness()
        harness.create("t", lane: .media)
        create("a", in: &harness)
        harness.create("u", lane: .media)
        harness.answer(1, accepted())
        #expect(harness.sent == [])
        harness.take(.upload(1, .uploaded(receipt: "a")))
        #expect(harness.sent == ["1<2 send a, 2<3 send u"])
    }

    @Test func aMediaMessageWaitsForTheTextBeforeItAndForItsUpload() {
        var harness = OutboxHarness { $0.precedence = OrderingPolicy.mediaAfterText.precedence }
        harness.create("t")
        create("a", in: &harness)
        #expect(harness.uploads == ["a"])
        harness.take(.upload(1, .uploaded(receipt: "a")))
        #expect(harness.sent == [])
        harness.answer(1, accepted())
        #expect(harness.sent == ["0<2 send a"])
    }

    @Test func asManyAsAllowedAreUploadedAtOnce() {
        var harness = OutboxHarness { $0.uploadsMax = 3 }
        create("a", "b", "c", "d", in: &harness)
        #expect(harness.uploads == ["a", "b", "c"])
        harness.take(.upload(3, .uploaded(receipt: "c")))
        #expect(harness.uploads == ["d"])
    }

    // MARK: - Failures

    @Test func aCutWithProgressContinuesAtOnce() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .opened(session: "/u/1")))
        for number in 1...9 {
            harness.take(.upload(number, .progressed(sent: Int64(number * 10))))
            harness.take(.upload(number, .failed(.noAnswer)))
            #expect(harness.uploads == ["a at /u/1"], "attempt \(number)")
            #expect(harness.outbox.isReached)
        }
    }

    @Test func cutsWithoutProgressUseUpTheRetries() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .failed(.noAnswer)))
        #expect(harness.uploads == ["a"])  // the first one at once
        harness.take(.upload(2, .failed(.noAnswer)))
        #expect(harness.uploads == [])
        #expect(!harness.outbox.isReached)
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.uploads == ["a"])
        harness.take(.upload(3, .failed(.noAnswer)))
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        harness.take(.upload(4, .failed(.noAnswer)))
        #expect(harness.written == ["fail a retriesUsedUp"])
        #expect(harness.told == ["a failed retriesUsedUp"])
    }

    @Test func aServerThatIsBusyIsAskedAgainLater() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .failed(.serverBusy)))
        #expect(harness.written == ["requeue - #1 a"])
        guard case .backingOff(_, attempts: 1) = harness.waitReason("a") else {
            Issue.record("\(String(describing: harness.waitReason("a")))")
            return
        }
        harness.create("t")
        #expect(harness.sent == ["0<2 send t"])
        harness.wait(.seconds(5))
        #expect(harness.uploads == ["a"])
    }

    @Test func whatUploadsAreAskedToWaitConcernsNoDelivery() {
        var harness = OutboxHarness()
        create("a", "b", in: &harness)
        harness.take(.upload(1, .failed(.rateLimited(after: .seconds(20), detail: "too many uploads"))))
        #expect(harness.uploads == [])
        let until = harness.clock.wall(at: harness.clock.now + .seconds(20))
        #expect(harness.waitReason("a") == .rateLimited(until: until))
        #expect(harness.waitReason("b") == .uploading(sent: 0, total: 1000), "its attempt goes on")
        harness.create("t")
        #expect(harness.sent == ["0<3 send t"])
        harness.take(.upload(2, .failed(.rateLimited(after: .seconds(20), detail: "too many uploads"))))
        harness.wait(.seconds(19))
        #expect(harness.uploads == [])
        harness.wait(.seconds(1))
        #expect(harness.uploads == ["a", "b"])
    }

    @Test func offlineNothingIsUploadedAndNoAttemptCounts() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .failed(.noWay)))
        #expect(harness.written == ["requeue - #0 a"])
        #expect(harness.uploads == [])
        harness.wait(.seconds(60))
        #expect(harness.uploads == [])
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.uploads == ["a"])
    }

    @Test func aRequiredActionStopsUploads() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .failed(.badToken)))
        #expect(harness.outbox.actionRequired?.cause == .tokenRefused)
        #expect(harness.written == ["requeue - #0 a"])
        harness.take(.actionResolved)
        #expect(harness.uploads == ["a"])
    }

    @Test func aRefusedFileFailsItsMessageAndTheNextOneIsSent() {
        var harness = OutboxHarness()
        create("a", "b", in: &harness)
        harness.take(.upload(2, .uploaded(receipt: "b")))
        harness.take(.upload(1, .failed(.refused(code: "fileTooLarge", detail: "too large"))))
        #expect(harness.written == ["fail a refused", "attempt b after 0 #1"])
        #expect(harness.told == ["a failed refused"])
        #expect(harness.sent == ["0<2 send b"])
    }

    @Test func aLostSessionBeginsAgain() {
        var harness = OutboxHarness()
        create("a", in: &harness, upload: AttachmentUpload(total: 9, state: .pending(session: "/u/7", attempts: 0)))
        #expect(harness.uploads == ["a at /u/7"])
        harness.take(.upload(1, .failed(.refused(code: "sessionUnknown", detail: "expired"))))
        #expect(harness.written == ["requeue - #1 a", "begin #2 a"])
        #expect(harness.uploads == ["a"])
    }

    @Test func aFileThatCannotBeReadFailsItsMessage() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .unsendable(code: "fileUnreadable", detail: "damaged")))
        #expect(harness.written == ["fail a unsendable"])
    }

    @Test func anInterruptionByTheClientIsNoFailure() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .interrupted))
        #expect(harness.written == ["requeue - #0 a", "begin #1 a"])
        #expect(harness.uploads == ["a"])
    }

    @Test func aLateReportOfAnAttemptChangesNothing() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.upload(1, .interrupted))
        harness.take(.upload(1, .uploaded(receipt: "late")))
        #expect(harness.written == [])
        #expect(harness.sent == [])
    }

    // MARK: - What the server has lost

    @Test func aFileThatExpiredIsUploadedOnceMore() {
        var harness = OutboxHarness()
        create("a", in: &harness, upload: AttachmentUpload(total: 9, state: .complete(receipt: "r")))
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(1, .refused(code: "attachmentUnknown", detail: ""))
        #expect(harness.written == ["start again a"])
        #expect(harness.told == [])
        create("a", in: &harness, upload: AttachmentUpload(total: 9, isRepeated: true))
        #expect(harness.uploads == ["a"])
        harness.take(.upload(1, .uploaded(receipt: "r")))
        #expect(harness.sent == ["1<2 send a"])
        harness.answer(2, .refused(code: "attachmentUnknown", detail: ""))
        #expect(harness.written == ["fail a refused"])
        #expect(harness.told == ["a failed refused"])
    }

    @Test func whereAFailurePausesTheLaneAnExpiredFileIsOne() {
        var harness = OutboxHarness { $0.headFailure = .pauseLane }
        create("a", in: &harness, upload: AttachmentUpload(total: 9, state: .complete(receipt: "r")))
        harness.answer(1, .refused(code: "attachmentUnknown", detail: ""))
        #expect(harness.written == ["fail a refused, pausing"])
    }

    // MARK: - Deletion, expiry, the end

    @Test func aDeletedMessageAbandonsItsUpload() {
        var harness = OutboxHarness()
        create("a", "b", "c", in: &harness)
        harness.delete("a", .uploading)
        #expect(harness.uploads == ["abandon a", "c"])
        #expect(harness.told == ["a deleted"])
        harness.take(.upload(1, .failed(.noAnswer)))
        #expect(harness.written == [])
    }

    @Test func anExpiredMessageStopsItsUpload() {
        var harness = OutboxHarness { $0.expiry = .seconds(60) }
        create("a", in: &harness)
        harness.wait(.seconds(60))
        #expect(harness.uploads == ["cancel a"])
        #expect(harness.told == ["a failed expired"])
    }

    @Test func aMessageThatTheServerHasAbandonsItsUpload() {
        var harness = OutboxHarness()
        create("a", in: &harness)
        harness.take(.confirmed(id("a"), place()))
        #expect(harness.uploads == ["abandon a"])
        #expect(harness.told == ["a delivered"])
    }

    @Test func anOrderlyEndCountsNoAttempt() {
        var harness = OutboxHarness()
        create("a", "b", in: &harness)
        harness.take(.upload(1, .opened(session: "/u/1")))
        harness.take(.upload(2, .progressed(sent: 5)))
        let mutations = harness.outbox.mutationsToClose(at: harness.clock)
        let wall = harness.clock.wall
        #expect(
            mutations == [
                .upload(id("a"), .requeue(session: "/u/1", attempts: 0), at: wall),
                .upload(id("b"), .requeue(session: nil, attempts: 0), at: wall),
            ])
    }

    @Test func attemptsThatAllEndedTheProcessFailTheMessage() {
        let entry = OutboxEntry(
            kind: .send, lane: .media, sequence: 1, previous: nil, message: id("a"), attempts: 0, bytes: 10,
            upload: AttachmentUpload(total: 9, state: .pending(session: nil, attempts: 4)))
        let harness = OutboxHarness([entry])
        #expect(harness.uploads == [])
        #expect(harness.written == ["fail a retriesUsedUp"])
    }

    @Test func noMessageIsSentForTheFailureOfAnother() {
        let entries = zip(1...3, ["a", "b", "c"]).map { sequence, name in
            OutboxEntry(
                kind: .send, lane: .media, sequence: Int64(sequence), previous: nil, message: id(name), attempts: 0,
                bytes: 10, upload: AttachmentUpload(total: 9, state: .pending(session: nil, attempts: 4)))
        }
        let harness = OutboxHarness(entries)
        #expect(harness.written == ["fail a retriesUsedUp", "fail b retriesUsedUp", "fail c retriesUsedUp"])
        #expect(harness.sent == [])
    }

    @Test func aPausedOutboxUploadsNothing() {
        var harness = OutboxHarness()
        harness.take(.paused)
        create("a", in: &harness)
        #expect(harness.uploads == [])
        harness.take(.resumed)
        #expect(harness.uploads == ["a"])
    }

    @Test func aReadAgainOutboxKeepsItsUploads() throws {
        var harness = OutboxHarness()
        create("a", "b", in: &harness)
        harness.take(.upload(2, .failed(.serverBusy)))
        harness.take(.feedReset)
        #expect(harness.uploads == ["cancel a"])
        #expect(harness.written == ["requeue - #0 a", "reload"])
        var entries = harness.outbox.entries
        #expect(entries.map { $0.upload?.attempts } == [0, 1])
        for index in entries.indices { entries[index].queuedAt = Timestamp(milliseconds: 0) }
        let snapshot = OutboxSnapshot(
            outboxID: harness.outbox.outboxID, epoch: 1, lastTransmitted: [:], entries: entries)
        harness.take(.forked(snapshot))
        #expect(harness.uploads == ["a"])
        harness.wait(.seconds(5))
        #expect(harness.uploads == ["b"])
    }
}
