public import CausewayModels
import CausewaySystem

/// The production runtime: the system's clocks, its random source, and Swift's concurrency.
///
/// The only file below the adapters that may access them.
public struct SystemRuntime: Runtime {
    private let origin = ContinuousClock.now

    /// Creates a runtime whose monotonic clock begins at zero now. Times of two runtimes cannot be compared.
    public init() {}

    public var now: MonotonicTime { .zero + (ContinuousClock.now - origin) }

    public var wallClock: Timestamp { Timestamp(milliseconds: SystemTime.wallMilliseconds) }

    public func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    public func sleep(until deadline: MonotonicTime) async {
        try? await Task.sleep(until: origin + (deadline - .zero), clock: ContinuousClock())
    }

    public var network: (any NetworkMonitor)? { SystemNetworkMonitor() }

    @discardableResult
    public func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask {
        RuntimeTask(Task.detached(operation: body))
    }
}
