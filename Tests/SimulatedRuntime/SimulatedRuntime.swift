package import CausewayModels
package import CausewayRuntime
import Synchronization

/// A world in which time passes only when nothing else can happen, chance comes from a seed, and one thread runs one
/// job at a time: the same seed gives the same run.
///
/// It is a task executor: default actors, continuations and tasks that were started through ``spawn(_:)`` run on it.
/// Nothing under simulation may start tasks or sleep in another way.
package final class SimulatedRuntime: Runtime, TaskExecutor {
    private struct Sleeper {
        var deadline: MonotonicTime
        var order: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct World {
        var now = MonotonicTime.zero
        var ready: [UnownedJob] = []
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var nextOrder = 0
        var generator: SplitMix64
        var schedule: SplitMix64
        var steps = 0
    }

    private let world: Mutex<World>
    /// The wall clock at the start: some day in 2026.
    private let start = Timestamp(milliseconds: 1_790_000_000_000)

    package init(seed: UInt64) {
        world = Mutex(World(generator: SplitMix64(seed: seed), schedule: SplitMix64(seed: ~seed)))
    }

    package var now: MonotonicTime { world.withLock { $0.now } }
    package var wallClock: Timestamp { start.advanced(by: now - .zero) }
    package var steps: Int { world.withLock { $0.steps } }

    package func random() -> UInt64 { world.withLock { $0.generator.next() } }

    @discardableResult
    package func spawn(_ body: @escaping @Sendable () async -> Void) -> RuntimeTask {
        RuntimeTask(Task(executorPreference: self) { await body() })
    }

    package func sleep(until deadline: MonotonicTime) async {
        let order = world.withLock { world in
            world.nextOrder += 1
            return world.nextOrder
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = world.withLock { world in
                    if world.cancelled.remove(order) != nil || deadline <= world.now { return true }
                    world.sleepers[order] = Sleeper(deadline: deadline, order: order, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = world.withLock { world in
                let sleeper = world.sleepers.removeValue(forKey: order)
                if sleeper == nil { world.cancelled.insert(order) }
                return sleeper
            }
            sleeper?.continuation.resume()
        }
    }

    /// Runs `body` to its end, and throws ``Deadlock`` when it waits for something that cannot happen any more.
    package func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        spawn {
            do {
                try await body()
                outcome.withLock { $0 = .success(()) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        while outcome.withLock({ $0 == nil }) {
            guard step() else { throw Deadlock(at: now) }
        }
        try outcome.withLock { $0 }?.get()
    }

    /// Runs one ready job, chosen by the seed; when there is none, lets time pass to the next deadline.
    ///
    /// - Returns: false when neither is left.
    private func step() -> Bool {
        let job: UnownedJob? = world.withLock { world in
            guard !world.ready.isEmpty else { return nil }
            world.steps += 1
            let index = Int.random(in: 0..<world.ready.count, using: &world.schedule)
            return world.ready.remove(at: index)
        }
        if let job {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            return true
        }
        let sleeper: Sleeper? = world.withLock { world in
            guard
                let next = world.sleepers.values.min(by: {
                    ($0.deadline, $0.order) < ($1.deadline, $1.order)
                })
            else { return nil }
            world.sleepers[next.order] = nil
            world.now = max(world.now, next.deadline)
            return next
        }
        sleeper?.continuation.resume()
        return sleeper != nil
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        world.withLock { $0.ready.append(job) }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

/// Nothing can happen any more, and the run has not ended.
package struct Deadlock: Error, CustomStringConvertible {
    package let at: MonotonicTime

    package var description: String { "nothing can happen any more at \(at.nanoseconds) ns" }
}
