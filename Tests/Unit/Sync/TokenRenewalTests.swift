import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import Synchronization
import Testing

/// The loop that asks the application for another token.
struct TokenRenewalTests {
    /// The client is closed while the loop is being started, on another thread.
    @Test func aRenewalThatIsCancelledWhileItStartsEnds() throws {
        let runtime = SimulatedRuntime(seed: 1)
        let renewal = Mutex<TokenRenewal?>(nil)
        let interrupted = InterruptedRuntime(base: runtime) { renewal.withLock { $0 }?.cancel() }
        try runtime.run {
            let attempts = Mutex(0)
            let new = TokenRenewal(interrupted)
            renewal.withLock { $0 = new }
            new.set {
                attempts.withLock { $0 += 1 }
                throw ClientError.noSession
            }
            new.start()
            await runtime.sleep(until: runtime.now + .seconds(3600))
            #expect(attempts.withLock { $0 } <= 1, "the loop goes on")
        }
    }

    @Test func aFailedRenewalIsRepeatedUntilItIsCancelled() throws {
        let runtime = SimulatedRuntime(seed: 1)
        try runtime.run {
            let attempts = Mutex(0)
            let renewal = TokenRenewal(runtime)
            renewal.set {
                attempts.withLock { $0 += 1 }
                throw ClientError.noSession
            }
            renewal.start()
            await runtime.sleep(until: runtime.now + .seconds(59))
            // At 0, 5, 15, 30 and 45 seconds: whatever is repaired, the next attempt comes within 15 seconds.
            #expect(attempts.withLock { $0 } == 5)
            renewal.cancel()
            await runtime.sleep(until: runtime.now + .seconds(3600))
            #expect(attempts.withLock { $0 } == 5)
        }
    }
}

/// A runtime in which something happens right after a task was started.
private struct InterruptedRuntime: Runtime {
    let base: any Runtime
    let afterSpawn: @Sendable () -> Void

    var now: MonotonicTime { base.now }
    var wallClock: Timestamp { base.wallClock }

    func random() -> UInt64 { base.random() }
    func sleep(until deadline: MonotonicTime) async { await base.sleep(until: deadline) }

    @discardableResult
    func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask {
        let task = base.spawn(body)
        afterSpawn()
        return task
    }
}
