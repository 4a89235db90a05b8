import CausewayModels

/// The clock by which messages age, and their limit: ``OutboxConfiguration/expiry``.
///
/// The age of a message counts from the time when it entered the queue. The age of a message that is enqueued during
/// this run is measured by the monotonic clock. A message that the store held at the start has an initial age by the
/// wall clock, read at the first event (never negative, even if the clock was set back meanwhile), which then grows by
/// the monotonic clock. So setting the wall clock while the program runs neither causes nor prevents an expiry.
struct MessageAging: Sendable, Hashable {
    /// The age at which a message expires; `nil` if none does.
    var limit: Duration?
    /// The time of the first event of this run; `nil` before it, and if nothing expires.
    var start: ClockReading?

    /// The time when a message that was queued at `queuedAt` expires; `nil` if it does not.
    func expiry(of queuedAt: Timestamp) -> MonotonicTime? {
        guard let limit, let start else { return nil }
        let (age, overflow) = start.wall.milliseconds.subtractingReportingOverflow(queuedAt.milliseconds)
        return start.now + (limit - .milliseconds(overflow ? .max : age))
    }

    /// Messages queued at this time or earlier have expired; `nil` if nothing expires.
    func expiredUntil(_ clock: ClockReading) -> Timestamp? {
        limit.map { undisturbedWall(clock).advanced(by: .zero - $0) }
    }

    /// The wall clock time at `clock`, ignoring changes of the wall clock since the start.
    func undisturbedWall(_ clock: ClockReading) -> Timestamp {
        guard let start else { return clock.wall }
        return start.wall.advanced(by: clock.now - start.now)
    }
}
