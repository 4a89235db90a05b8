import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// A long queue costs no more per message than a short one: nothing scans, sorts or copies it.
///
/// Each test takes a step or two for each of 200,000 messages. Work that grows with the queue would be 40 billion
/// times the smallest step, an hour and more; without it a test takes seconds, and a minute or two on a machine that is
/// very busy. The limit lies between.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct CostTests {
    private static let count: Int64 = 200_000
    private let moment = Moment(now: .zero, wall: Timestamp(milliseconds: 0))

    private static func message(_ number: Int64) -> MessageID { MessageID(UUIDv7(high: 7, low: UInt64(number))) }

    /// A lane of waiting messages, and one of each in a round.
    private func longQueue() -> Outbox {
        var configuration = OutboxConfiguration()
        configuration.batchOperationsMax = 2
        configuration.retry.retriesMax = 0
        let entries = (1...Self.count).map { number in
            OutboxEntry(
                kind: .send, lane: .text, sequence: number, previous: nil, message: Self.message(number), attempts: 0,
                bytes: configuration.batchBytesMax)
        }
        let snapshot = OutboxSnapshot(
            outboxID: OutboxID(UUIDv7(high: 1, low: 1)), epoch: 1, lastTransmitted: [:], entries: entries)
        var outbox = Outbox(snapshot, configuration: configuration, seed: 1)
        _ = outbox.handle(.sessionBegan, at: moment)
        return outbox
    }

    /// Text and media by turns, under an order in which each media message waits for the text before it.
    @Test func waitingForAnotherLane() {
        var configuration = OutboxConfiguration()
        configuration.precedence = OrderingPolicy.mediaAfterText.precedence
        let entries = (1...Self.count).map { number in
            OutboxEntry(
                kind: .send, lane: number.isMultiple(of: 2) ? .media : .text, sequence: number, previous: nil,
                message: Self.message(number), attempts: 0, bytes: configuration.batchBytesMax)
        }
        let snapshot = OutboxSnapshot(
            outboxID: OutboxID(UUIDv7(high: 1, low: 1)), epoch: 1, lastTransmitted: [:], entries: entries)
        var outbox = Outbox(snapshot, configuration: configuration, seed: 1)
        _ = outbox.handle(.sessionBegan, at: moment)
        var actions = outbox.handle(.greeted, at: moment)
        var order: [Int64] = []
        while !actions.isEmpty {
            var next: [OutboxAction] = []
            for round in actions.compactMap(\.round) {
                order += round.operations.map(\.sequence)
                let report = DeliveryReport(mark: 0, outcomes: round.operations.map { _ in accepted() })
                next += outbox.handle(.answered(round, report), at: moment)
            }
            actions = next
        }
        #expect(order.count == Int(Self.count) && outbox.depth == 0)
        #expect(order.filter { $0.isMultiple(of: 2) } == Array(stride(from: 2, through: Self.count, by: 2)))
    }

    /// Answers every round until there is none, and counts them.
    private func drain(_ outbox: inout Outbox, _ outcome: (OutboxEntry.Kind) -> DeliveryOutcome) -> Int64 {
        var actions = outbox.handle(.greeted, at: moment)
        var rounds: Int64 = 0
        while let round = actions.lazy.compactMap(\.round).first {
            rounds += 1
            let report = DeliveryReport(mark: 0, outcomes: round.operations.map { outcome($0.kind) })
            actions = outbox.handle(.answered(round, report), at: moment)
        }
        return rounds
    }

    @Test func sendingOneByOne() {
        var outbox = longQueue()
        #expect(drain(&outbox) { _ in accepted() } == Self.count)
        #expect(outbox.depth == 0)
    }

    @Test func failingOneByOne() {
        var outbox = longQueue()
        let rounds = drain(&outbox) { $0 == .send ? .busy : .fenced }
        #expect(rounds == Self.count + 1)
        #expect(outbox.depth == 0)
    }

    @Test func deletingOneByOneFromEitherEnd() {
        var outbox = longQueue()
        var told = 0
        for number in 1...Self.count / 2 {
            told += outbox.handle(.deleted([Self.message(number)]), at: moment).count
            told += outbox.handle(.deleted([Self.message(Self.count + 1 - number)]), at: moment).count
        }
        #expect(told == Self.count)
        #expect(drain(&outbox) { _ in accepted() } == 0)
        #expect(outbox.depth == 0)
    }

    /// Behind a question that cannot be asked now, in one step or one by one: nothing is gone through twice.
    @Test(arguments: [true, false])
    func expiring(isAtOnce: Bool) {
        var configuration = OutboxConfiguration()
        configuration.expiry = .seconds(isAtOnce ? 1 : 3600)
        let question = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: Self.message(0), attempts: 0, bytes: 0)
        let entries = (2...Self.count).map { number in
            OutboxEntry(
                kind: .send, lane: .text, sequence: number, previous: nil, message: Self.message(number), attempts: 0,
                bytes: 10, queuedAt: Timestamp(milliseconds: isAtOnce ? 0 : number))
        }
        let snapshot = OutboxSnapshot(
            outboxID: OutboxID(UUIDv7(high: 1, low: 1)), epoch: 1, lastTransmitted: [.text: 1],
            entries: [question] + entries)
        var outbox = Outbox(snapshot, configuration: configuration, seed: 1)
        let start = Timestamp(milliseconds: Self.count)
        var now = MonotonicTime.zero
        var failed = outbox.handle(.sessionBegan, at: Moment(now: now, wall: start)).failures
        while let deadline = outbox.nextDeadline {
            now = max(now, deadline)
            failed += outbox.handle(.deadline, at: Moment(now: now, wall: start)).failures
        }
        #expect(failed == Int(Self.count) - 1 && outbox.depth == 1)
    }

    @Test func askingWhyEachWaits() {
        let outbox = longQueue()
        let reasons = (1...Self.count).lazy.filter { outbox.waitReason(for: Self.message($0), at: moment) != nil }.count
        #expect(reasons == Self.count)
    }

    /// Creating and deleting behind a head that waits for hours takes up no memory for good.
    @Test func whatVanishedLeavesNoGaps() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        for _ in 0..<2000 {
            bench.create("b")
            bench.delete("b", .created)
        }
        #expect(bench.outbox.depth < 200)
        bench.create("c")
        bench.take(.sessionBegan)
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 send a, 1<2002 send c"])
    }
}

extension OutboxAction {
    fileprivate var round: DeliveryRound? {
        if case .transmit(let round, _) = self { round } else { nil }
    }
}

extension [OutboxAction] {
    /// Completions of messages that failed.
    fileprivate var failures: Int {
        count {
            if case .complete(_, .failed) = $0 { true } else { false }
        }
    }
}
