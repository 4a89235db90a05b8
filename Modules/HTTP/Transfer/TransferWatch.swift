package import NIOCore

/// Decides when a transfer is too slow: no byte for a while, or too few over a longer time. Pure.
///
/// Only time in which the peer is waited for counts: it stops while this side is busy.
///
/// Bytes that leave in the middle of a part are noted by those who look, so the watch asks for a look several times in
/// an idle time. A transfer that stands still is idle after that time, or up to one interval of looks later.
package struct TransferWatch: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        /// Note the bytes that have left by this time, then check again.
        case check(at: NIODeadline)
        /// Look again when the peer is waited for.
        case paused
        /// No byte came or left in time.
        case idle
        /// Bytes are transferred, but too few.
        case slow
    }

    /// Looks in one idle time.
    private static let looksPerIdle: Int64 = 5

    private let idle: TimeAmount
    private let interval: TimeAmount
    private let window: TimeAmount
    private let windowBytesMin: Int
    private var lastByte: NIODeadline
    private var windowBegan: NIODeadline
    private var windowBytes = 0
    private var pausedSince: NIODeadline?

    package init(_ timeouts: TransferTimeouts, now: NIODeadline) {
        idle = TimeAmount(timeouts.idle)
        interval = .nanoseconds(idle.nanoseconds / Self.looksPerIdle)
        window = TimeAmount(timeouts.window)
        let seconds = window.nanoseconds / 1_000_000_000
        windowBytesMin = max(0, timeouts.bytesPerSecondMin) * Int(clamping: seconds)
        lastByte = now
        windowBegan = now
    }

    /// Bytes were transferred.
    package mutating func transferred(_ bytes: Int, now: NIODeadline) {
        // The end of a pause adds the whole pause.
        lastByte = pausedSince ?? now
        windowBytes += bytes
    }

    /// This side is busy: the peer cannot be blamed.
    package mutating func pause(now: NIODeadline) {
        if pausedSince == nil { pausedSince = now }
    }

    /// The peer is waited for again.
    package mutating func resume(now: NIODeadline) {
        guard let since = pausedSince else { return }
        pausedSince = nil
        lastByte = lastByte + (now - since)
        windowBegan = windowBegan + (now - since)
    }

    package mutating func check(now: NIODeadline) -> Verdict {
        guard pausedSince == nil else { return .paused }
        if now >= lastByte + idle { return .idle }
        if now >= windowBegan + window {
            if windowBytes < windowBytesMin { return .slow }
            windowBegan = now
            windowBytes = 0
        }
        return .check(at: min(now + interval, lastByte + idle, windowBegan + window))
    }
}
