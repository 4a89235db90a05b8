import CausewayModels
import CausewayOutbox
import Testing

/// A queue whose inputs can be written in an expectation; its invariants are checked after each of them.
private final class UploadHarness {
    private var queue = UploadQueue()
    private let start = MonotonicTime(nanoseconds: 0)

    var nextDeadline: MonotonicTime? { queue.nextDeadline }
    var count: Int { queue.count }

    private func checked<Value>(_ body: (inout UploadQueue) -> Value) -> Value {
        defer { #expect(queue.violations.isEmpty) }
        return body(&queue)
    }

    func message(_ number: Int64) -> MessageID {
        MessageID(UUIDv7(high: 0x7000, low: UInt64(bitPattern: number)))
    }

    func insert(_ numbers: Int64..., lane: LaneID = .media, attempts: Int = 0) {
        for number in numbers { insert(message(number), lane: lane, sequence: number, attempts: attempts) }
    }

    func insert(_ message: MessageID, lane: LaneID = .media, sequence: Int64, attempts: Int = 0) {
        checked {
            $0.insert(UploadQueue.Entry(message: message, lane: lane, sequence: sequence, attempts: attempts))
        }
    }

    func begin(
        uploadsMax: Int = 2, retriesMax: Int = 3, at now: MonotonicTime? = nil
    ) -> (begun: [UploadQueue.Attempt], failed: [UploadQueue.Verdict]) {
        checked { $0.begin(uploadsMax: uploadsMax, retriesMax: retriesMax, at: now ?? start) }
    }

    /// The messages of the attempts that begin, by their numbers.
    func begun(_ now: MonotonicTime? = nil, uploadsMax: Int = 2) -> [Int: MessageID] {
        let (begun, failed) = begin(uploadsMax: uploadsMax, at: now)
        #expect(failed.isEmpty)
        return Dictionary(uniqueKeysWithValues: begun.map { ($0.number, $0.message) })
    }

    func fail(
        _ number: Int, at now: MonotonicTime, dropsSession: Bool = false
    ) -> UploadQueue.Verdict? {
        checked {
            $0.failed(
                number, code: "c", detail: "d", retriesMax: 3, dropsSession: dropsSession,
                until: { _, _ in now + .seconds(5) })
        }
    }

    func finished(_ number: Int) -> MessageID? { checked { $0.finished(number) } }
    func interrupted(_ number: Int) -> UploadQueue.Verdict? { checked { $0.interrupted(number) } }
    func opened(_ session: String, by number: Int) -> Bool { checked { $0.opened(session, by: number) } }
    func resumed(at offset: Int64, by number: Int) { checked { $0.resumed(at: offset, by: number) } }
    func progressed(to sent: Int64, by number: Int) -> MessageID? {
        checked { $0.progressed(to: sent, by: number) }
    }
    func remove(_ message: MessageID) -> UploadQueue.Removal { checked { $0.remove(message) } }
    func mismatched(_ number: Int) -> UploadQueue.Verdict? {
        checked { $0.mismatched(number, code: "hashMismatch", detail: "") }
    }
    func refused(_ number: Int) -> UploadQueue.Verdict? {
        checked { $0.refused(number, code: "tooLarge", detail: "x") }
    }
    func firstPending(in lane: LaneID) -> (message: MessageID, sequence: Int64)? { queue.firstPending(in: lane) }
    func sent(of message: MessageID) -> Int64? { queue.sent(of: message) }
    func hold(_ seconds: Int64) { checked { $0.hold(until: start + .seconds(seconds)) } }
    func hold(of message: MessageID) -> MonotonicTime? { queue.hold(of: message) }
    /// Builds the queue anew from the entries that the store has.
    func reload(_ entries: UploadQueue.Entry...) {
        let former = queue
        queue = UploadQueue()
        checked { queue in
            for entry in entries { queue.insert(entry) }
            queue.keepPauses(of: former)
        }
    }
    func retry(of message: MessageID) -> (until: MonotonicTime, attempts: Int)? { queue.retry(of: message) }
}

/// The queue of uploads, input by input.
@Suite struct UploadQueueTests {
    private let queue = UploadHarness()
    private let start = MonotonicTime(nanoseconds: 0)

    private func message(_ number: Int64) -> MessageID { queue.message(number) }

    @Test func theOldestBeginFirstAndNoMoreThanAllowed() {
        queue.insert(3, 1, 2)
        #expect(queue.begun() == [1: message(1), 2: message(2)])
        #expect(queue.begun() == [:])
        #expect(queue.finished(1) == message(1))
        #expect(queue.begun() == [3: message(3)])
        #expect(queue.finished(1) == nil)
    }

    @Test func aLaneWaitsForItsOldestFile() {
        queue.insert(1, 2)
        queue.insert(3, lane: .text)
        _ = queue.begun()
        #expect(queue.firstPending(in: .media)?.message == message(1))
        #expect(queue.finished(2) == message(2))
        #expect(queue.firstPending(in: .media)?.sequence == 1)
        #expect(queue.finished(1) == message(1))
        #expect(queue.firstPending(in: .media) == nil)
        #expect(queue.firstPending(in: .text)?.sequence == 3)
    }

    @Test func aRetryTakesNoPlaceUntilItsTime() {
        queue.insert(1, 2, 3)
        _ = queue.begun(uploadsMax: 1)
        #expect(queue.fail(1, at: start) == .retry(message(1), until: start + .seconds(5), attempts: 1, session: nil))
        #expect(queue.nextDeadline == start + .seconds(5))
        #expect(queue.retry(of: message(1))?.attempts == 1)
        #expect(queue.begun(uploadsMax: 1) == [2: message(2)])
        _ = queue.finished(2)
        #expect(queue.begun(start + .seconds(5), uploadsMax: 1) == [3: message(1)])
        #expect(queue.nextDeadline == nil)
    }

    @Test func theFourthFailureIsFinal() {
        queue.insert(1)
        var now = start
        for number in 1...3 {
            _ = queue.begun(now)
            #expect(
                queue.fail(number, at: now)
                    == .retry(message(1), until: now + .seconds(5), attempts: number, session: nil))
            now = now + .seconds(5)
        }
        _ = queue.begun(now)
        #expect(queue.fail(4, at: now) == .failed(message(1), .retriesUsedUp, code: "c", detail: "d"))
        #expect(queue.count == 0)
    }

    @Test func progressStartsTheCountAgainAndIsReportedOnce() {
        queue.insert(1, attempts: 3)
        _ = queue.begun()
        queue.resumed(at: 100, by: 1)
        #expect(queue.progressed(to: 100, by: 1) == nil)
        #expect(queue.progressed(to: 101, by: 1) == message(1))
        #expect(queue.progressed(to: 102, by: 1) == nil)
        #expect(queue.progressed(to: 50, by: 1) == nil)
        #expect(queue.sent(of: message(1)) == 102)
        #expect(queue.fail(1, at: start) == .retry(message(1), until: start + .seconds(5), attempts: 1, session: nil))
    }

    /// The offset that a session already had is not progress: a link that always breaks after it would never end.
    @Test func whatWasThereBeforeIsNoProgress() {
        queue.insert(1)
        var now = start
        for number in 1...4 {
            _ = queue.begun(now)
            queue.resumed(at: 100, by: number)
            #expect(queue.progressed(to: 100, by: number) == nil)
            let verdict = queue.fail(number, at: now)
            now = now + .seconds(5)
            if number == 4 { #expect(verdict == .failed(message(1), .retriesUsedUp, code: "c", detail: "d")) }
        }
    }

    @Test func anInterruptionIsRefunded() {
        queue.insert(1)
        for number in 1...9 {
            _ = queue.begun()
            #expect(queue.interrupted(number) == .retry(message(1), until: nil, attempts: 0, session: nil))
        }
    }

    @Test func aCrashLoopIsSeen() {
        queue.insert(1, attempts: 4)
        queue.insert(2)
        let (begun, failed) = queue.begin(uploadsMax: 1)
        #expect(begun.map(\.message) == [message(2)])
        guard case .failed(message(1), .retriesUsedUp, code: "interrupted", _) = failed.first else {
            Issue.record("\(failed)")
            return
        }
    }

    @Test func aSessionIsKeptUntilTheServerHasLostIt() {
        queue.insert(1)
        _ = queue.begun()
        #expect(queue.opened("s", by: 1))
        #expect(queue.fail(1, at: start) == .retry(message(1), until: start + .seconds(5), attempts: 1, session: "s"))
        let begun = queue.begin(uploadsMax: 1, at: start + .seconds(5)).begun
        #expect(begun.map(\.session) == ["s"])
        let verdict = queue.fail(2, at: start, dropsSession: true)
        #expect(verdict == .retry(message(1), until: nil, attempts: 2, session: nil))
        #expect(queue.begun() == [3: message(1)])
        #expect(!queue.opened("t", by: 2))
    }

    @Test func wrongBytesAreSentOnceMore() {
        queue.insert(1)
        _ = queue.begun()
        _ = queue.opened("s", by: 1)
        #expect(
            queue.mismatched(1)
                == .retry(
                    message(1), until: nil, attempts: 0, session: nil))
        _ = queue.begun()
        #expect(
            queue.mismatched(2)
                == .failed(message(1), .refused, code: "hashMismatch", detail: ""))
    }

    @Test func aRefusalIsFinal() {
        queue.insert(1)
        _ = queue.begun()
        #expect(
            queue.refused(1)
                == .failed(message(1), .refused, code: "tooLarge", detail: "x"))
        #expect(queue.refused(1) == nil)
        #expect(queue.count == 0)
    }

    /// Each state of an upload, and what its removal leaves to cancel.
    @Test func aDeletionEndsWhatIsUnderWay() {
        queue.insert(1, 2, 3)
        _ = queue.begun()
        _ = queue.opened("s", by: 1)
        _ = queue.fail(2, at: start)
        #expect(queue.remove(message(1)) == UploadQueue.Removal(attempt: 1, session: "s"))
        #expect(queue.remove(message(2)) == UploadQueue.Removal())
        #expect(queue.remove(message(3)) == UploadQueue.Removal())
        #expect(queue.remove(message(4)) == UploadQueue.Removal())
        #expect(queue.count == 0)
        // Late results of an attempt that is over.
        #expect(queue.finished(1) == nil)
        #expect(queue.fail(1, at: start) == nil)
        #expect(queue.interrupted(1) == nil)
        #expect(queue.progressed(to: 5, by: 1) == nil)
    }

    @Test func aReloadKeepsTheBytesOfASession() {
        queue.insert(1, 2)
        _ = queue.begun()
        for number in 1...2 {
            _ = queue.opened("s\(number)", by: number)
            _ = queue.progressed(to: 70, by: number)
            _ = queue.interrupted(number)
        }
        queue.reload(
            UploadQueue.Entry(message: message(1), lane: .media, sequence: 1, session: "s1"),
            UploadQueue.Entry(message: message(2), lane: .media, sequence: 2, session: "another"))
        #expect(queue.sent(of: message(1)) == 70)
        #expect(queue.sent(of: message(2)) == 0)
    }

    /// An attempt under way goes on; the others wait as long as the server asked, or until their own retry.
    @Test func aHoldIsThatOfTheUploadsThatDoNotRun() {
        queue.insert(1, 2, 3)
        _ = queue.begun()
        _ = queue.fail(2, at: start)
        #expect(queue.hold(of: message(1)) == nil && queue.hold(of: message(3)) == nil)
        queue.hold(4)
        #expect(queue.hold(of: message(1)) == nil)
        #expect(queue.hold(of: message(2)) == nil)
        #expect(queue.hold(of: message(3)) == start + .seconds(4))
        queue.hold(9)
        #expect(queue.hold(of: message(2)) == start + .seconds(9))
        #expect(queue.hold(of: message(4)) == nil)
    }

    @Test func aResentMessageMovesToItsNewPlace() {
        queue.insert(1, 2)
        queue.insert(message(1), sequence: 9)
        #expect(queue.firstPending(in: .media)?.message == message(2))
        #expect(queue.begun(uploadsMax: 1) == [1: message(2)])
    }
}

/// Random histories of uploads against a judge of its own.
@Suite struct UploadWorldTests {
    private static func play(seed: UInt64, fault: UploadWorld.Fault? = nil) -> UploadWorld {
        var world = UploadWorld(seed: seed, fault: fault)
        for _ in 0..<300 {
            world.step()
            if !world.problems.isEmpty { return world }
        }
        world.finish()
        return world
    }

    @Test func everyHistoryIsRight() {
        var counts: [String: Int] = [:]
        for seed in 0..<200 as Range<UInt64> {
            let world = Self.play(seed: seed)
            #expect(world.problems.isEmpty, "seed \(seed): \(world.problems.prefix(3))")
            counts.merge(world.counts, uniquingKeysWith: +)
        }
        // A run in which a fault struck too rarely proves nothing.
        for event in [
            "deleted", "failed", "crashed", "offline", "expired", "expiry", "cut", "lost receipt", "lost session",
        ] {
            #expect(counts[event, default: 0] >= 20, "\(event)")
        }
    }

    @Test(arguments: UploadWorld.Fault.allCases) func aPlantedFaultIsDetected(fault: UploadWorld.Fault) {
        let isDetected = (0..<200 as Range<UInt64>).contains { seed in
            !Self.play(seed: seed, fault: fault).problems.isEmpty
        }
        #expect(isDetected)
    }
}
