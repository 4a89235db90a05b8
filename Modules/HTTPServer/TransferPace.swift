package import CausewayModels

/// The minimum rate of a client that sends a long body. Counts only the time in which the server waits for bytes: a
/// server that is slow itself makes no client too slow. Pure; the times are passed in.
package struct TransferPace: Sendable, Hashable {
    /// The shortest wait, in seconds, after which a client can be too slow.
    package let graceSeconds: Int64
    private let bytesPerSecondMin: Int64
    private var bytes: Int64 = 0
    private var waited: Duration = .zero
    private var waitingSince: MonotonicTime?

    package init(bytesPerSecondMin: Int64, graceSeconds: Int64) {
        self.bytesPerSecondMin = bytesPerSecondMin
        self.graceSeconds = graceSeconds
    }

    /// The server waits for bytes.
    package mutating func waits(at now: MonotonicTime) { if waitingSince == nil { waitingSince = now } }

    /// Bytes have arrived, and the server does not wait until it says so again.
    package mutating func received(_ count: Int, at now: MonotonicTime) {
        bytes += Int64(count)
        if let since = waitingSince { waited += now - since }
        waitingSince = nil
    }

    /// Whether the client was too slow since the last check; called from time to time. A check that comes before enough
    /// time was waited decides nothing, and the next one covers its time, too.
    package mutating func isTooSlow(at now: MonotonicTime) -> Bool {
        let total = waited + (waitingSince.map { now - $0 } ?? .zero)
        guard total >= .seconds(graceSeconds) else { return false }
        let isTooSlow = bytes < bytesPerSecondMin * total.components.seconds
        bytes = 0
        waited = .zero
        if waitingSince != nil { waitingSince = now }
        return isTooSlow
    }
}
