package import CausewayModels

/// Counts failed authentications of each peer in a token bucket: a failure takes from it and time refills it.
///
/// A value that reads no clock. Bounded: when more peers fail than are tracked, the rest share one bucket. Peers that
/// have recovered make room, and are looked for at most once in a refill.
package struct AttemptLimiter: Sendable {
    private struct Bucket: Sendable {
        /// When the bucket is full again; each failure moves it one refill further.
        var fullAt: MonotonicTime
    }

    private let burst: Int
    private let refill: Duration
    private let peersMax: Int
    private var buckets: [String: Bucket] = [:]
    private var others = Bucket(fullAt: .zero)
    /// When peers that have recovered may be looked for again: a look at all of them costs more than many attempts.
    private var nextLookAt = MonotonicTime.zero

    /// - Parameters:
    ///   - burst: failures of one peer in a row before it must wait.
    ///   - refill: how long it takes a peer to earn one more attempt.
    ///   - peersMax: the number of tracked peers; all others share one bucket.
    package init(burst: Int, refill: Duration, peersMax: Int) {
        self.burst = burst
        self.refill = refill
        self.peersMax = peersMax
    }

    /// The number of peers that are tracked.
    package var peers: Int { buckets.count }

    /// Records a failure.
    ///
    /// - Returns: `nil` while the peer may try again; otherwise how long it must wait, rounded up to seconds.
    package mutating func recordFailure(of peer: String, at now: MonotonicTime) -> Int64? {
        if !makeRoom(for: peer, at: now) { return take(from: &others, at: now) }
        return take(from: &buckets[peer, default: Bucket(fullAt: now)], at: now)
    }

    /// Returns how long the peer must wait before it may try again; `nil` while it may. Records nothing.
    package mutating func wait(of peer: String, at now: MonotonicTime) -> Int64? {
        var bucket = makeRoom(for: peer, at: now) ? buckets[peer, default: Bucket(fullAt: now)] : others
        return take(from: &bucket, at: now)
    }

    /// Makes room for a peer if others have recovered; false if there is none.
    private mutating func makeRoom(for peer: String, at now: MonotonicTime) -> Bool {
        if buckets[peer] == nil, buckets.count >= peersMax, now >= nextLookAt { evictRecovered(at: now) }
        return buckets[peer] != nil || buckets.count < peersMax
    }

    private func take(from bucket: inout Bucket, at now: MonotonicTime) -> Int64? {
        let start = max(bucket.fullAt, now)
        let next = start + refill
        let owed = next - now
        guard owed <= refill * burst else {
            // A refused attempt costs nothing more: the wait ends after one refill.
            let wait = owed - refill * burst
            return max(1, (wait.wholeMilliseconds + 999) / 1000)
        }
        bucket.fullAt = next
        return nil
    }

    private mutating func evictRecovered(at now: MonotonicTime) {
        buckets = buckets.filter { $0.value.fullAt > now }
        nextLookAt = now + refill
    }
}
