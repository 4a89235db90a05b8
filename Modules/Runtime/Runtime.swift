public import CausewayModels

/// Time, chance and concurrency, handed in.
///
/// Everything between Models and Client touches the outside world only through a value of this type, so that
/// the whole client can run under a simulator that owns the clock, the dice and the schedule.
public protocol Runtime: Sendable {
    /// The monotonic clock, for deadlines.
    var now: MonotonicTime { get }
    /// The wall clock, for people.
    var wallClock: Timestamp { get }
    /// Sixty-four random bits, of a quality fit for identifiers.
    func random() -> UInt64
    /// Returns at `deadline` or when the calling task is cancelled, whichever comes first.
    func sleep(until deadline: MonotonicTime) async
    /// Starts `body` concurrently; one that belongs to an actor begins there. Cancellation is by the handle alone:
    /// nothing is inherited.
    @discardableResult
    func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask
}

extension Runtime {
    /// A new version 7 identifier.
    public func makeUUIDv7() -> UUIDv7 {
        UUIDv7(at: wallClock, randomHigh: random(), randomLow: random())
    }

    /// The wall-clock moment at which `deadline` is expected, for people to read.
    public func wallClock(at deadline: MonotonicTime) -> Timestamp {
        wallClock.advanced(by: deadline - now)
    }
}
