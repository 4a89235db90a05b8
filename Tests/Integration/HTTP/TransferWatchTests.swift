import CausewayHTTP
import NIOCore
import Testing

/// When a transfer is too slow, in a time that the test advances.
@Suite struct TransferWatchTests {
    private let timeouts = TransferTimeouts(
        idle: .seconds(10), bytesPerSecondMin: 100, window: .seconds(60))

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(UInt64(1000 + seconds) * 1_000_000_000) }

    @Test func aTransferMayLastAsLongAsItMoves() {
        var watch = TransferWatch(timeouts, now: at(0))
        for second in stride(from: Int64(5), through: 100_000, by: 5) {
            watch.transferred(500, now: at(second))
            guard case .check(let time) = watch.check(now: at(second)) else {
                Issue.record("too slow at \(second)")
                return
            }
            #expect(time <= at(second + 2))
        }
    }

    @Test func oneThatStandsStillIsIdle() {
        var watch = TransferWatch(timeouts, now: at(0))
        watch.transferred(1_000_000, now: at(3))
        #expect(watch.check(now: at(12)) == .check(at: at(13)))
        #expect(watch.check(now: at(13)) == .idle)
    }

    @Test func oneThatTricklesIsSlow() {
        var watch = TransferWatch(timeouts, now: at(0))
        for second in stride(from: Int64(5), to: 60, by: 5) {
            watch.transferred(1, now: at(second))
            #expect(watch.check(now: at(second)) == .check(at: min(at(second + 2), at(60))))
        }
        watch.transferred(1, now: at(60))
        #expect(watch.check(now: at(60)) == .slow)
    }

    /// The bytes of a part that leaves slowly are seen by those who look, as often as the watch asks for it.
    @Test func bytesThatLeaveBetweenTwoLooksKeepATransferAlive() {
        var watch = TransferWatch(timeouts, now: at(0))
        var now = at(0)
        for _ in 1...100 {
            guard case .check(let next) = watch.check(now: now) else {
                Issue.record("cut off while it moved")
                return
            }
            #expect(next <= now + .seconds(2), "five looks in an idle time")
            now = next
            watch.transferred(1000, now: now)
        }
        // From the last look that saw a byte.
        let last = now
        while case .check(let next) = watch.check(now: now) { now = next }
        #expect(now == last + .seconds(10))
    }

    /// Each window has its own minimum.
    @Test func oneThatTricklesAfterALongRunIsSlow() {
        var watch = TransferWatch(timeouts, now: at(0))
        watch.transferred(1_000_000, now: at(1))
        for second in stride(from: Int64(5), to: 120, by: 5) {
            watch.transferred(1, now: at(second))
            guard case .check = watch.check(now: at(second)) else {
                Issue.record("too slow at \(second)")
                return
            }
        }
        watch.transferred(1, now: at(120))
        #expect(watch.check(now: at(120)) == .slow)
    }

    @Test func timeOfThisSideDoesNotCount() {
        var watch = TransferWatch(timeouts, now: at(0))
        watch.transferred(6000, now: at(5))
        watch.pause(now: at(6))
        #expect(watch.check(now: at(1000)) == .paused)
        watch.resume(now: at(1000))
        // A second had passed since the last byte.
        #expect(watch.check(now: at(1000)) == .check(at: at(1002)))
        #expect(watch.check(now: at(1008)) == .check(at: at(1009)))
        #expect(watch.check(now: at(1009)) == .idle)
    }

    /// As at the beginning of a response for which this side waited in another way.
    @Test func bytesBesideAPauseLengthenNothing() {
        var watch = TransferWatch(timeouts, now: at(0))
        watch.pause(now: at(0))
        watch.transferred(1, now: at(300))
        watch.resume(now: at(310))
        #expect(watch.check(now: at(310)) == .check(at: at(312)))
        #expect(watch.check(now: at(320)) == .idle)
    }

    @Test func noMinimumIsNone() {
        var watch = TransferWatch(
            TransferTimeouts(idle: .seconds(10), bytesPerSecondMin: 0, window: .seconds(20)), now: at(0))
        for second in stride(from: Int64(9), to: 900, by: 9) {
            watch.transferred(1, now: at(second))
            guard case .check = watch.check(now: at(second)) else {
                Issue.record("too slow at \(second)")
                return
            }
        }
    }
}
