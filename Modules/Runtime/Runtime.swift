public import CausewayModels

/// Injected time, randomness and concurrency.
///
/// All code from Models to Client accesses the outside world only through a value of this type, so that the whole
/// client can run under a simulator that controls the clock, the randomness and the schedule.
public protocol Runtime: Sendable {
    /// The monotonic clock, for deadlines.
    var now: MonotonicTime { get }
    /// The wall clock, for display.
    var wallClock: Timestamp { get }
    /// 64 random bits, of a quality suitable for identifiers.
    func random() -> UInt64
    /// Returns at `deadline` or when the calling task is cancelled, whichever comes first.
    func sleep(until deadline: MonotonicTime) async
    /// Starts `body` concurrently; a closure that is isolated to an actor begins there. It is cancelled only through
    /// the handle: nothing is inherited.
    @discardableResult
    func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask
    /// Reports of changes of the network; `nil` if there are none.
    var network: (any NetworkMonitor)? { get }
}

extension Runtime {
    /// Default for runtimes without a network of their own.
    public var network: (any NetworkMonitor)? { nil }
}

extension Runtime {
    /// A new version 7 identifier.
    public func makeUUIDv7() -> UUIDv7 {
        UUIDv7(at: wallClock, randomHigh: random(), randomLow: random())
    }

    /// The wall clock time at which `deadline` is expected, for display.
    public func wallClock(at deadline: MonotonicTime) -> Timestamp {
        wallClock.advanced(by: deadline - now)
    }
}
