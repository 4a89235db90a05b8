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
        /// The continuation of a task, or an action, at the end of a wait.
        @safe enum Sleeper {
            case task(UnsafeContinuation<Void, Never>)
            case action(@Sendable () -> Void)
        }

        var now = MonotonicTime.zero
        var ready: [UnownedJob] = []
        /// The deadlines of sleepers; a sleeper that was woken early is no longer in `sleepers`.
        var alarms = AlarmQueue()
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        /// The conditions that sleepers wait for, in the order in which they began to wait.
        var conditions: [(number: Int, holds: @Sendable () -> Bool)] = []
        var lastNumber = 0
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
        let number = world.withLock { $0.takeNumber() }
        await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { continuation in
                let isOver = world.withLock { world in
                    if world.cancelled.remove(number) != nil || deadline <= world.now { return true }
                    unsafe world.plan(.task(continuation), number, at: deadline)
                    return false
                }
                if isOver { unsafe continuation.resume() }
            }
        } onCancel: {
            let sleeper = world.withLock { world in
                let sleeper = world.endWait(number)
                if sleeper == nil { world.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.wake()
        }
    }

    /// Like ``sleep(until:)``, for tasks that are never cancelled; costs less.
    package func pause(until deadline: MonotonicTime) async {
        unsafe await withUnsafeContinuation { continuation in
            world.withLock { world in
                unsafe world.plan(.task(continuation), world.takeNumber(), at: deadline)
            }
        }
    }

    /// Performs `action` at `time`; costs less than a task. It must not suspend, and is no job of an actor.
    ///
    /// - Returns: a number for ``cancel(_:)``.
    @discardableResult
    package func schedule(at time: MonotonicTime, _ action: @escaping @Sendable () -> Void) -> Int {
        world.withLock { world in
            let number = world.takeNumber()
            world.plan(.action(action), number, at: time)
            return number
        }
    }

    /// Prevents a scheduled action, unless it was performed.
    package func cancel(_ number: Int) {
        let sleeper = world.withLock { $0.endWait(number) }
        withExtendedLifetime(sleeper) {}
    }

    /// Returns when `condition` holds, and at `deadline` at the latest; without one, waits for ever. Cannot be
    /// cancelled.
    ///
    /// - Parameter condition: evaluated whenever nothing is ready to run, before time passes. Must change nothing.
    package func wait(until deadline: MonotonicTime? = nil, for condition: @escaping @Sendable () -> Bool) async {
        if condition() { return }
        unsafe await withUnsafeContinuation { continuation in
            world.withLock { world in
                let number = world.takeNumber()
                unsafe world.plan(.task(continuation), number, at: deadline)
                world.conditions.append((number, condition))
            }
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

    /// Runs one ready job, chosen by the seed; when there is none, resumes the first waiter whose condition holds, or
    /// lets time pass to the next deadline.
    ///
    /// - Returns: false when neither is left.
    private func step() throws(Spinning) -> Bool {
        let (job, steps) = world.withLock { ($0.takeJob(), $0.stepsAtThisMoment) }
        if let job {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            guard steps < Self.stepsAtOneMomentMax else { throw Spinning(at: now) }
            return true
        }
        // Outside the lock: conditions read the time.
        let fulfilled = world.withLock { $0.conditions }.first { $0.holds() }?.number
        let sleeper = world.withLock { world in fulfilled.map { world.endWait($0) } ?? world.letTimePass() }
        sleeper?.wake()
        return sleeper != nil
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        world.withLock { $0.ready.append(job) }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

extension SimulatedRuntime.World {
    fileprivate mutating func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// - Parameter deadline: `nil` if it waits for a condition only.
    fileprivate mutating func plan(_ sleeper: consuming Sleeper, _ number: Int, at deadline: MonotonicTime?) {
        sleepers[number] = sleeper
        if let deadline { alarms.add(number, at: deadline) }
    }

    /// Takes one of the ready jobs, chosen by the seed.
    fileprivate mutating func takeJob() -> UnownedJob? {
        guard !ready.isEmpty else { return nil }
        steps += 1
        stepsAtThisMoment += 1
        let last = ready.count - 1
        if last > 0 { ready.swapAt(Int(schedule.next() % UInt64(last + 1)), last) }
        return ready.removeLast()
    }

    /// Advances time to the next deadline.
    ///
    /// - Returns: the sleeper that slept until then.
    fileprivate mutating func letTimePass() -> Sleeper? {
        while let (deadline, number) = alarms.next() {
            guard let sleeper = endWait(number) else { continue }
            if deadline > now { stepsAtThisMoment = 0 }
            now = max(now, deadline)
            return sleeper
        }
        return nil
    }

    /// Removes a sleeper; `nil` if it was woken already.
    fileprivate mutating func endWait(_ number: Int) -> Sleeper? {
        guard let sleeper = sleepers.removeValue(forKey: number) else { return nil }
        if !conditions.isEmpty { conditions.removeAll { $0.number == number } }
        return sleeper
    }
}

extension SimulatedRuntime.World.Sleeper {
    fileprivate func wake() {
        switch self {
        case .task(let continuation): unsafe continuation.resume()
        case .action(let action): action()
        }
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
