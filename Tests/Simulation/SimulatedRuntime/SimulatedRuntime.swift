package import CausewayModels
package import CausewayRuntime
import CausewaySimulationKernel
import Synchronization

/// A runtime in which time passes only when nothing else can happen, randomness comes from a seed, and one thread runs
/// one job at a time: the same seed gives the same run.
///
/// It is a task executor: default actors, continuations and tasks that were started through ``spawn(_:)`` run on it.
/// Code under simulation must not start tasks or sleep in another way.
package final class SimulatedRuntime: Runtime, TaskExecutor {
    fileprivate struct World {
        var now = MonotonicTime.zero
        var ready: [UnownedJob] = []
        /// The deadlines of sleepers; a sleeper that was woken early is no longer in `sleepers`.
        var alarms = TimeQueue<Int>()
        var sleepers: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextOrder = 0
        var generator: SplitMix64
        var schedule: SplitMix64
        var steps = 0
        var stepsAtThisMoment = 0
    }

    /// Jobs that may run without any time passing. More indicate an endless loop.
    package static let stepsAtOneMomentMax = 100_000

    private let world: Mutex<World>
    /// The wall clock at the start: a day in 2026.
    private let start = Timestamp(milliseconds: 1_790_000_000_000)

    package init(seed: UInt64) {
        world = Mutex(World(generator: SplitMix64(seed: seed), schedule: SplitMix64(seed: ~seed)))
    }

    package var now: MonotonicTime { world.withLock { $0.now } }
    package var wallClock: Timestamp { start.advanced(by: now - .zero) }
    package var steps: Int { world.withLock { $0.steps } }

    package func random() -> UInt64 { world.withLock { $0.generator.next() } }

    @discardableResult
    package func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask {
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
                    world.sleepers[order] = continuation
                    world.alarms.plan(order, at: deadline)
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
            sleeper?.resume()
        }
    }

    /// Runs `body` to its end. Throws ``Deadlock`` when it waits for something that cannot happen any more, and
    /// ``Spinning`` when jobs follow each other endlessly and no time passes.
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
            guard try step() else { throw Deadlock(at: now) }
        }
        try outcome.withLock { $0 }?.get()
    }

    /// Runs the remaining jobs after ``run(_:)``, and lets time pass for them, until nothing is ready and nothing
    /// sleeps: only then have the tasks ended.
    ///
    /// - Returns: false when some remain at `deadline`.
    package func finish(by deadline: MonotonicTime) throws -> Bool {
        while now <= deadline {
            guard try step() else { return true }
        }
        return false
    }

    /// Runs one ready job, chosen by the seed; when there is none, lets time pass to the next deadline.
    ///
    /// - Returns: false when neither is left.
    private func step() throws(Spinning) -> Bool {
        let (job, steps): (UnownedJob?, Int) = world.withLock { world in
            guard !world.ready.isEmpty else { return (nil, 0) }
            world.steps += 1
            world.stepsAtThisMoment += 1
            let last = world.ready.count - 1
            world.ready.swapAt(Int.random(in: 0...last, using: &world.schedule), last)
            return (world.ready.removeLast(), world.stepsAtThisMoment)
        }
        if let job {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            guard steps < Self.stepsAtOneMomentMax else { throw Spinning(at: now) }
            return true
        }
        let sleeper = world.withLock { $0.letTimePass() }
        sleeper?.resume()
        return sleeper != nil
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        world.withLock { $0.ready.append(job) }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

extension SimulatedRuntime.World {
    /// Advances time to the next deadline.
    ///
    /// - Returns: the continuation that slept until then.
    fileprivate mutating func letTimePass() -> CheckedContinuation<Void, Never>? {
        while let (deadline, order) = alarms.next() {
            guard let sleeper = sleepers.removeValue(forKey: order) else { continue }
            if deadline > now { stepsAtThisMoment = 0 }
            now = max(now, deadline)
            return sleeper
        }
        return nil
    }
}

/// Thrown when nothing can happen any more, and the run has not ended.
package struct Deadlock: Error, CustomStringConvertible {
    package let at: MonotonicTime

    package var description: String { "nothing can happen any more at \(at.nanoseconds) ns" }
}

/// Thrown when jobs follow each other endlessly, and no time passes.
package struct Spinning: Error, CustomStringConvertible {
    package let at: MonotonicTime

    package var description: String { "it goes in circles at \(at.nanoseconds) ns" }
}
