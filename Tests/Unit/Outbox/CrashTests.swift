import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Starts after a crash with attempts under way: a payload that crashes the process is found, and no other message is
/// charged for it more than once.
@Suite struct CrashTests {
    private static let third = LaneID(rawValue: "text/third")

    private func entry(
        _ name: String, _ sequence: Int64, lane: LaneID = .text, previous: Int64? = nil, attempts: Int = 0
    ) -> OutboxEntry {
        OutboxEntry(
            kind: .send, lane: lane, sequence: sequence, previous: previous, message: id(name), attempts: attempts,
            bytes: 10)
    }

    // MARK: - Lanes

    /// Two lanes had an attempt under way.
    private func twoCutOff() -> OutboxHarness {
        OutboxHarness(
            [
                entry("a", 1, previous: 0, attempts: 1),
                entry("m", 2, lane: .media, previous: 0, attempts: 1),
            ], lastTransmitted: [.text: 1, .media: 2])
    }

    @Test func lanesWithAnAttemptCutOffGoOneAfterTheOther() {
        var harness = twoCutOff()
        #expect(harness.sent == ["0<2 send m"])
        harness.answer(1, accepted())
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(2, accepted())
        harness.create("b")
        harness.create("n", lane: .media)
        #expect(harness.batches.count == 4, "and then at the same time again")
    }

    @Test func nothingElseIsUnderWayWithSuchAMessage() {
        var harness = twoCutOff()
        harness.create("x", lane: Self.third)
        #expect(harness.sent == [])
        harness.answer(1, accepted())
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(2, accepted())
        #expect(harness.sent == ["0<3 send x"])
    }

    @Test func whatWaitsForASecondAttemptHoldsUpNoOtherLane() {
        var harness = twoCutOff()
        harness.create("x", lane: Self.third)
        harness.fail(1, .serverBusy)
        #expect(harness.sent == ["0<1 send a"])
        harness.fail(2, .serverBusy)
        #expect(harness.sent == ["0<3 send x"])
        harness.wait(.seconds(5))
        #expect(harness.sent == [], "the third is under way")
        harness.answer(3, accepted())
        #expect(harness.sent.count == 1)
        harness.answer(4, accepted())
        #expect(harness.batches.count == 5)
    }

    /// The driver may still send a batch that was taken back, and it may be the one that kills the process.
    @Test func nothingElseIsUnderWayWithWhatWasTakenBack() {
        var harness = twoCutOff()
        #expect(harness.sent == ["0<2 send m"])
        harness.create("x", lane: Self.third)
        let queued = harness.outbox.entries
        harness.take(.feedReset)
        harness.take(.forked(snapshot(of: harness.outbox.outboxID, queued, [.text: 1, .media: 2])))
        #expect(harness.sent == [], "m is under way for the driver")
        harness.create("y", lane: LaneID(rawValue: "text/fourth"))
        #expect(harness.sent == [])
        harness.take(.interrupted(harness.batches[0]))
        #expect(harness.sent.count == 1)
        harness.answer(2, accepted())
        #expect(harness.sent.count == 1, "and again by itself")
    }

    /// Its message was deleted meanwhile, so its lane waits for nothing.
    @Test func whatWentByItselfExcludesOthersUntilItHasEnded() {
        var harness = OutboxHarness(
            [entry("m", 2, lane: .media, previous: 0, attempts: 1)], lastTransmitted: [.media: 2])
        #expect(harness.sent == ["0<2 send m"])
        harness.take(.feedReset)
        harness.take(.forked(snapshot(of: harness.outbox.outboxID, [], [.media: 2])))
        harness.create("x", lane: Self.third)
        #expect(harness.sent == [], "m is under way for the driver")
        harness.take(.interrupted(harness.batches[0]))
        #expect(harness.sent == ["0<3 send x"])
    }

    /// Only batches that may kill the process wait for those that were taken back.
    @Test func whatWasTakenBackDelaysNothingWithoutACrash() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .serverBusy)
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send a"])
        harness.take(.feedReset)
        let queued = [entry("a", 1, previous: 0, attempts: 1)]
        harness.take(.forked(snapshot(of: harness.outbox.outboxID, queued, [.text: 1])))
        #expect(harness.sent == ["0<1 send a"])
        harness.create("m", lane: .media)
        #expect(harness.sent == ["0<2 send m"])
    }

    /// Under another id nothing counts as transmitted, and nothing waits for requests of the former one.
    @Test func whatWasTakenBackDelaysNoOutboxOfAnotherID() {
        var harness = twoCutOff()
        let queued = [entry("a", 3), entry("m", 4, lane: .media)]
        harness.take(.feedReset)
        harness.take(.forked(snapshot(of: OutboxID(UUIDv7(high: 2, low: 2)), queued, [:])))
        #expect(harness.sent == ["0<3 send a", "0<4 send m"])
    }

    private func snapshot(
        of outboxID: OutboxID, _ entries: [OutboxEntry], _ lastTransmitted: [LaneID: Int64]
    ) -> OutboxSnapshot {
        OutboxSnapshot(outboxID: outboxID, epoch: 1, lastTransmitted: lastTransmitted, entries: entries)
    }

    @Test func aLaneThatMayNotSendTakesNoTurn() {
        var harness = OutboxHarness(
            [
                entry("a", 1, previous: 0, attempts: 1),
                entry("m", 2, lane: .media, previous: 0, attempts: 1),
            ], lastTransmitted: [.text: 1, .media: 2]
        ) { $0.precedence = OrderingPolicy.mediaAfterText.precedence }
        #expect(harness.sent == ["0<1 send a"])
        harness.create("x", lane: Self.third)
        harness.fail(1, .serverBusy)
        #expect(harness.sent == ["0<3 send x"])
        harness.create("y", lane: LaneID(rawValue: "text/fourth"))
        #expect(harness.sent == ["0<4 send y"], "media waits for text, and not for room")
    }

    @Test func aLaneGoesAloneUntilAllIsThroughThatHadBeenTransmitted() {
        var harness = OutboxHarness(
            [
                entry("a", 1, previous: 0, attempts: 1), entry("b", 2, previous: 1), entry("c", 3, previous: 2),
            ], lastTransmitted: [.text: 3]
        ) { $0.batchOperationsMax = 1 }
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<2 send b"])
        harness.create("m", lane: .media)
        #expect(harness.sent == [], "b had left before, and may be the one that kills")
        harness.answer(2, accepted())
        #expect(harness.sent == ["0<4 send m"], "it waited first")
        harness.answer(3, accepted())
        #expect(harness.sent == ["2<3 send c"])
    }

    /// Only responses to messages show that the next ones do not crash the process.
    @Test func answeredQuestionsLetNoMoreMessagesGoAtOnce() {
        let questions = [("x", Int64(1)), ("y", 2)].map { name, sequence in
            OutboxEntry(
                kind: .fence, lane: .text, sequence: sequence, previous: sequence - 1, message: id(name), attempts: 0,
                bytes: 0)
        }
        var harness = OutboxHarness(
            questions + [entry("a", 3, previous: 2, attempts: 1), entry("b", 4, previous: 3)],
            lastTransmitted: [.text: 4]
        ) { $0.batchOperationsMax = 2 }
        #expect(harness.sent == ["0<1 fence x, 1<2 fence y"])
        harness.answer(1, .fenced, .fenced)
        #expect(harness.sent == ["2<3 send a"])
    }

    /// A message whose attempts all ended with the process, and which got a new number since: it is not sent behind
    /// others, and fails when nothing is under way before it.
    @Test func whatHasNoAttemptsLeftIsNotSentBehindOthers() {
        let deletion = OutboxEntry(
            kind: .delete, lane: .text, sequence: 3, previous: nil, message: id("x"), attempts: 0, bytes: 0)
        var harness = OutboxHarness(
            [entry("a", 1), entry("b", 2), deletion, entry("c", 4, attempts: 4), entry("d", 5)]
        ) {
            $0.batchOperationsMax = 1
            $0.deliveriesInFlightMax = 5
        }
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<2 send b", "2<3 delete x"])
        harness.answer(2, accepted())
        #expect(harness.sent == [])
        harness.answer(3, .deleted)
        #expect(harness.sent == ["3<4 fence c", "4<5 send d"])
        #expect(harness.written.contains { $0.hasPrefix("fail c retriesUsedUp") })
    }

    // MARK: - Killers

    private struct Letter {
        var lane: LaneID
        var isLethal: Bool
        var attempts = 0
        var previous: Int64?
        var isOpen = true
        /// The number of times that it was charged for another one.
        var paid = 0
    }

    private func message(_ number: Int) -> MessageID { MessageID(UUIDv7(high: 7, low: UInt64(1000 + number))) }

    /// Restarts repeatedly until nothing is waiting; each time the process runs until it sends a message that crashes
    /// it, with everything that is under way by then. Responses arrive in the order of sending.
    private func live(_ letters: inout [Letter], deliveriesInFlightMax: Int, batch: Int) -> Int {
        var crashes = 0
        while letters.contains(where: \.isOpen), crashes < 200 {
            let open = letters.indices.filter { letters[$0].isOpen }
            let entries = open.map { number in
                OutboxEntry(
                    kind: .send, lane: letters[number].lane, sequence: Int64(number + 1),
                    previous: letters[number].previous, message: message(number), attempts: letters[number].attempts,
                    bytes: 10)
            }
            var last: [LaneID: Int64] = [:]
            for (number, letter) in letters.enumerated() where letter.previous != nil {
                last[letter.lane] = Int64(number + 1)
            }
            var harness = OutboxHarness(entries, lastTransmitted: last) {
                $0.deliveriesInFlightMax = deliveriesInFlightMax
                $0.batchOperationsMax = batch
            }
            if !run(&harness, &letters) { crashes += 1 }
        }
        return crashes
    }

    /// - Returns: false if the process crashed.
    private func run(_ harness: inout OutboxHarness, _ letters: inout [Letter]) -> Bool {
        var left = 0
        var underWay: [Batch] = []
        while true {
            while left < harness.batches.count {
                let batch = harness.batches[left]
                left += 1
                underWay.append(batch)
                for operation in batch.operations where operation.kind == .send {
                    letters[Int(operation.sequence) - 1].previous = operation.previous
                }
                let sends = batch.operations.filter { $0.kind == .send }.map { Int($0.sequence) - 1 }
                if let payer = sends.first(where: { message($0) == batch.countedMessage }) {
                    letters[payer].attempts += 1
                }
                guard sends.contains(where: { letters[$0].isLethal }) else { continue }
                for payer in underWay.compactMap(\.countedMessage) {
                    guard let number = letters.indices.first(where: { message($0) == payer }) else { continue }
                    if !letters[number].isLethal { letters[number].paid += 1 }
                }
                return false
            }
            guard !underWay.isEmpty else { return true }
            let batch = underWay.removeFirst()
            for operation in batch.operations { letters[Int(operation.sequence) - 1].isOpen = false }
            let outcomes = batch.operations.map { $0.kind == .send ? accepted() : DeliveryOutcome.fenced }
            harness.take(.responded(batch, DeliveryReport(mark: 0, outcomes: outcomes)))
        }
    }

    @Test(arguments: [1, 3], [1, 2, 7, Limits.batchOperationsMax])
    func severalKillersInSeveralLanesCostNoOtherMessageMoreThanOneAttempt(_ inFlight: Int, _ batch: Int) {
        let lanes: [LaneID] = [.text, .media, Self.third]
        let killers: Set<Int> = [0, 13, 14, 40, 41, 42, 55]
        var letters = (0..<60).map { Letter(lane: lanes[$0 % 3], isLethal: killers.contains($0)) }
        let crashes = live(&letters, deliveriesInFlightMax: inFlight, batch: batch)
        #expect(letters.filter(\.isOpen).count == 0)
        #expect(letters.filter { $0.paid > 1 }.count == 0, "\(letters.map(\.paid))")
        // Each killer has four attempts, and each start may first encounter some among others.
        #expect(crashes <= killers.count * 10, "\(crashes) crashes")
    }

    /// A payload crashes the process whenever it is encoded into a request. Messages before it are delivered, and no
    /// other message fails; each start advances by more than one message.
    @Test func aPayloadThatKillsTheProcessTakesNoOtherAlong() {
        let count = 200
        let killer = 150
        var attempts = Array(repeating: 0, count: count)
        var wasTransmitted = Array(repeating: false, count: count)
        var open = Array(0..<count)
        var crashes = 0
        var failed: Set<Int> = []
        for _ in 0..<60 where !open.isEmpty {
            let entries = open.map { number in
                OutboxEntry(
                    kind: .send, lane: .text, sequence: Int64(number + 1),
                    previous: wasTransmitted[number] ? Int64(number) : nil, message: message(number),
                    attempts: attempts[number], bytes: 10)
            }
            var harness = OutboxHarness(
                entries, lastTransmitted: [.text: Int64(wasTransmitted.lastIndex(of: true) ?? -1) + 1])
            var next = 0
            run: while next < harness.batches.count {
                let batch = harness.batches[next]
                next += 1
                let given = harness.written.filter { $0.hasPrefix("fail ") }
                failed.formUnion(open.filter { number in given.contains { $0.contains(message(number).name) } })
                open.removeAll(where: failed.contains)
                let sends = batch.operations.filter { $0.kind == .send }.map { Int($0.sequence) - 1 }
                for number in sends { wasTransmitted[number] = true }
                if let countedMessage = batch.operations.first(where: { $0.message == batch.countedMessage }) {
                    attempts[Int(countedMessage.sequence) - 1] += 1
                }
                if sends.contains(killer) {
                    crashes += 1
                    break run
                }
                open.removeAll { sends.contains($0) }
                let outcomes = batch.operations.map { $0.kind == .send ? accepted() : DeliveryOutcome.fenced }
                harness.take(.responded(batch, DeliveryReport(mark: 0, outcomes: outcomes)))
            }
        }
        #expect(open == [])
        #expect(failed == [killer])
        #expect(crashes <= 20, "\(crashes) crashes")
    }
}
