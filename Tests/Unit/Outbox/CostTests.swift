import CausewayModels
import CausewayOutbox
import CausewayStorage
import Foundation
import Testing

/// A long queue costs no more per message than a short one: nothing scans, sorts or copies it.
///
/// Each test does the same with a queue of 4,000 and with one sixteen times as long, and compares the processor time of
/// this thread, independent of other load: sixteen times as much if the cost is flat, 256 times if it grows with the
/// queue. The limit is between them, a factor of four from both.
@Suite(.serialized)
struct CostTests {
    private static let short: Int64 = 4_000
    private static let factor: Int64 = 16
    private static let growthMax = 64.0
    private let clock = ClockReading(now: .zero, wall: Timestamp(milliseconds: 0))

    private static func message(_ number: Int64) -> MessageID { MessageID(UUIDv7(high: 7, low: UInt64(number))) }

    /// The processor time of this thread, in seconds.
    private static func processorSeconds(_ work: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try work()
        return now() - start
    }

    /// Runs the work with a short and with a long queue. Of the short one the best of three counts, because the first
    /// run also has cold caches.
    private static func expectFlatCost(
        of short: Int64 = short, _ work: (Int64) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let cost = try (0..<3).map { _ in try processorSeconds { try work(short) } }.min() ?? 0
        let long = try processorSeconds { try work(short * factor) }
        #expect(
            long < cost * growthMax, "\(long) s, and \(cost) s for the short queue", sourceLocation: sourceLocation)
    }

    /// The comparison detects what it is meant to detect: a look at each message for each message. (To move them all,
    /// as the removal of an array's first element does, costs little beside its call, however long the queue is.)
    @Test func workThatGrowsWithTheQueueIsFound() {
        withKnownIssue {
            try Self.expectFlatCost(of: 300) { count in
                var sum: Int64 = 0
                for _ in 0..<count {
                    var number: Int64 = 0
                    while number < count {
                        sum &+= number
                        number += 1
                    }
                }
                #expect(sum > 0)
            }
        }
    }

    private static func outbox(
        _ entries: [OutboxEntry], _ configuration: OutboxConfiguration, lastTransmitted: [LaneID: Int64] = [:]
    ) -> Outbox {
        let snapshot = OutboxSnapshot(
            outboxID: OutboxID(UUIDv7(high: 1, low: 1)), epoch: 1, lastTransmitted: lastTransmitted, entries: entries)
        return Outbox(snapshot, configuration: configuration, seed: 1)
    }

    /// A lane of waiting messages, one in each batch.
    private func longQueue(_ count: Int64) -> Outbox {
        var configuration = OutboxConfiguration()
        configuration.batchOperationsMax = 2
        configuration.deliveriesInFlightMax = 1
        configuration.retry.retriesMax = 0
        let entries = (1...count).map { number in
            OutboxEntry(
                kind: .send, lane: .text, sequence: number, previous: nil, message: Self.message(number), attempts: 0,
                bytes: configuration.batchBytesMax)
        }
        var outbox = Self.outbox(entries, configuration)
        _ = outbox.handle(.sessionBegan, at: clock)
        return outbox
    }

    /// Text and media alternately, under a policy in which each media message waits for the text before it.
    @Test func waitingForAnotherLane() throws {
        var configuration = OutboxConfiguration()
        configuration.precedence = OrderingPolicy.mediaAfterText.precedence
        try Self.expectFlatCost { count in
            let entries = (1...count).map { number in
                OutboxEntry(
                    kind: .send, lane: number.isMultiple(of: 2) ? .media : .text, sequence: number, previous: nil,
                    message: Self.message(number), attempts: 0, bytes: configuration.batchBytesMax)
            }
            var outbox = Self.outbox(entries, configuration)
            _ = outbox.handle(.sessionBegan, at: clock)
            var actions = outbox.handle(.authenticated, at: clock)
            var order: [Int64] = []
            while !actions.isEmpty {
                var next: [OutboxAction] = []
                for batch in actions.compactMap(\.batch) {
                    order += batch.operations.map(\.sequence)
                    let report = DeliveryReport(mark: 0, outcomes: batch.operations.map { _ in accepted() })
                    next += outbox.handle(.responded(batch, report), at: clock)
                }
                actions = next
            }
            #expect(order.count == Int(count) && outbox.depth == 0)
            #expect(order.filter { $0.isMultiple(of: 2) } == Array(stride(from: 2, through: count, by: 2)))
        }
    }

    /// Responds to every batch until there is none, and returns their number.
    private func drain(_ outbox: inout Outbox, _ outcome: (OutboxEntry.Kind) -> DeliveryOutcome) -> Int64 {
        var actions = outbox.handle(.authenticated, at: clock)
        var batches: Int64 = 0
        while let batch = actions.lazy.compactMap(\.batch).first {
            batches += 1
            let report = DeliveryReport(mark: 0, outcomes: batch.operations.map { outcome($0.kind) })
            actions = outbox.handle(.responded(batch, report), at: clock)
        }
        return batches
    }

    @Test func sendingOneByOne() throws {
        try Self.expectFlatCost { count in
            var outbox = longQueue(count)
            #expect(drain(&outbox) { _ in accepted() } == count)
            #expect(outbox.depth == 0)
        }
    }

    @Test func failingOneByOne() throws {
        try Self.expectFlatCost { count in
            var outbox = longQueue(count)
            let batches = drain(&outbox) { $0 == .send ? .busy : .fenced }
            #expect(batches == count + 1)
            #expect(outbox.depth == 0)
        }
    }

    @Test func deletingOneByOneFromEitherEnd() throws {
        try Self.expectFlatCost { count in
            var outbox = longQueue(count)
            var told = 0
            for number in 1...count / 2 {
                told += outbox.handle(.deleted([Self.message(number)]), at: clock).count
                told += outbox.handle(.deleted([Self.message(count + 1 - number)]), at: clock).count
            }
            #expect(told == count)
            #expect(drain(&outbox) { _ in accepted() } == 0)
            #expect(outbox.depth == 0)
        }
    }

    /// Behind a fence that cannot be sent now, in one step or one by one: nothing is scanned twice.
    @Test(arguments: [true, false])
    func expiring(isAtOnce: Bool) throws {
        var configuration = OutboxConfiguration()
        configuration.expiry = .seconds(isAtOnce ? 1 : 3600)
        let question = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: Self.message(0), attempts: 0, bytes: 0)
        try Self.expectFlatCost { count in
            let entries = (2...count).map { number in
                OutboxEntry(
                    kind: .send, lane: .text, sequence: number, previous: nil, message: Self.message(number),
                    attempts: 0, bytes: 10, queuedAt: Timestamp(milliseconds: isAtOnce ? 0 : number))
            }
            var outbox = Self.outbox([question] + entries, configuration, lastTransmitted: [.text: 1])
            let start = Timestamp(milliseconds: count)
            var now = MonotonicTime.zero
            var failed = outbox.handle(.sessionBegan, at: ClockReading(now: now, wall: start)).failures
            while let deadline = outbox.nextDeadline {
                now = max(now, deadline)
                failed += outbox.handle(.deadline, at: ClockReading(now: now, wall: start)).failures
            }
            #expect(failed == Int(count) - 1 && outbox.depth == 1)
        }
    }

    @Test func askingWhyEachWaits() throws {
        try Self.expectFlatCost { count in
            let outbox = longQueue(count)
            let reasons = (1...count).lazy.filter { outbox.waitReason(for: Self.message($0), at: clock) != nil }.count
            #expect(reasons == count)
        }
    }

    /// Creating and deleting behind a head that waits for hours does not accumulate memory.
    @Test func whatVanishedLeavesNoGaps() {
        var harness = OutboxHarness(isOnline: false)
        harness.create("a")
        for _ in 0..<2000 {
            harness.create("b")
            harness.delete("b", .created)
        }
        #expect(harness.outbox.depth < 200)
        harness.create("c")
        harness.take(.sessionBegan)
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 send a, 1<2002 send c"])
    }
}

extension OutboxAction {
    fileprivate var batch: Batch? {
        if case .transmit(let batch, _) = self { batch } else { nil }
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
