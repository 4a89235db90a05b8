import CausewayModels
import CausewayRuntime

/// A network whose changes a test reports.
struct ScriptedNetwork: NetworkMonitor {
    private let stream: AsyncStream<NetworkStatus>
    private let continuation: AsyncStream<NetworkStatus>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func statuses() -> AsyncStream<NetworkStatus> { stream }

    func report(_ status: NetworkStatus) { continuation.yield(status) }
}

/// A runtime with a network.
struct NetworkedRuntime: Runtime {
    let base: any Runtime
    let network: (any NetworkMonitor)?

    var now: MonotonicTime { base.now }
    var wallClock: Timestamp { base.wallClock }

    func random() -> UInt64 { base.random() }
    func sleep(until deadline: MonotonicTime) async { await base.sleep(until: deadline) }

    @discardableResult
    func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask { base.spawn(body) }
}
