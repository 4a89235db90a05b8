import CausewayLiveQuery
import CausewayModels
import Synchronization

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// Delivers changes to one subscriber, as many as it demands.
///
/// ```
///  idle ──request──▶ pulling ──demand met──▶ idle
///    └───────cancel─────┴──────── end of the changes ──▶ over
/// ```
///
final class LiveSubscription<Record: LiveRecord>: Subscription, Sendable {
    /// Unchecked: no property is `Sendable`. They are used only by the one task that pulls; other threads at most
    /// release them.
    private struct Pull: @unchecked Sendable {
        let iterator: LiveChanges<Record>.Iterator
        /// The subscriber, without its type, which need not be one that tasks may share.
        let receive: (LiveCollectionChange<Record>) -> Subscribers.Demand
        let complete: () -> Void
    }

    private struct State {
        /// `nil` once the subscription has ended.
        var pull: Pull?
        var demand = Subscribers.Demand.none
        /// The task that pulls while there is demand.
        var task: Task<Void, Never>?
    }

    private let state: Mutex<State>
    /// `nil` for the main actor.
    private let executor: (any TaskExecutor)?

    init<Downstream: Subscriber>(
        _ changes: LiveChanges<Record>, _ downstream: Downstream, on executor: (any TaskExecutor)?
    ) where Downstream.Input == LiveCollectionChange<Record>, Downstream.Failure == Never {
        self.executor = executor
        let pull = Pull(iterator: changes.makeAsyncIterator()) { change in
            downstream.receive(change)
        } complete: {
            downstream.receive(completion: .finished)
        }
        state = Mutex(State(pull: pull))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        state.withLock { state in
            guard state.pull != nil else { return }
            state.demand += demand
            guard state.task == nil else { return }
            if let executor {
                state.task = Task(executorPreference: executor) { await self.run(on: nil) }
            } else {
                state.task = Task { await self.run(on: MainActor.shared) }
            }
        }
    }

    func cancel() {
        // Releasing these may run arbitrary code, so it happens outside the lock.
        let (task, pull) = state.withLock { state in
            defer { state = State() }
            return (state.task, state.pull)
        }
        task?.cancel()
        _ = pull
    }

    /// Delivers changes until the demand is met.
    ///
    /// - Parameter actor: `nil` for the executor of the task.
    private func run(on actor: isolated (any Actor)?) async {
        while let pull = next() {
            guard let change = await pull.iterator.next() else { return complete() }
            guard isWanted() else { return }
            let more = pull.receive(change)
            if more > .none { state.withLock { $0.demand += more } }
        }
    }

    /// The iterator and subscriber while there is demand; without demand the task ends.
    private func next() -> Pull? {
        state.withLock { state in
            guard state.pull != nil, state.demand > .none else {
                state.task = nil
                return nil
            }
            return state.pull
        }
    }

    /// Decrements the demand; false if the subscription was cancelled meanwhile.
    private func isWanted() -> Bool {
        state.withLock { state in
            guard state.pull != nil, state.demand > .none else { return false }
            state.demand -= 1
            return true
        }
    }

    private func complete() {
        let pull = state.withLock { state in
            defer { state = State() }
            return state.pull
        }
        pull?.complete()
    }
}
