import CausewayLiveQuery
import CausewayModels
import Synchronization

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// Delivers changes to one subscriber, as many as it demands, and the completion without demand.
///
/// ```
///  idle ──request, end of the changes──▶ pulling ──demand met──▶ idle
///    └──────────────cancel──────────────────┴── nothing left ──▶ over
/// ```
///
final class LiveSubscription<Record: LiveRecord>: Subscription, Sendable {
    /// Unchecked: no property is `Sendable`. They are used only by the one task that pulls; other threads at most
    /// release them, and ask the iterator to be told of the end, which it allows.
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
        /// The task that pulls while there is demand, and at the end.
        var task: Task<Void, Never>?
        /// True if no change is to come beyond those that the iterator has not returned.
        var isEnding = false
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
            if state.task == nil { state.task = makeTask() }
        }
    }

    /// To be called when the subscriber has received the subscription: completes it at the end of the changes, also
    /// while it demands none.
    func awaitEnd() {
        let pull = state.withLock { $0.pull }
        pull?.iterator.whenOver { [weak self] in
            // In a task: releasing the subscription here could run the subscriber's code under a lock.
            Task { [weak self] in self?.changesEnded() }
        }
    }

    private func changesEnded() {
        state.withLock { state in
            guard state.pull != nil else { return }
            state.isEnding = true
            if state.task == nil { state.task = makeTask() }
        }
    }

    private func makeTask() -> Task<Void, Never> {
        if let executor { return Task(executorPreference: executor) { await self.run(on: nil) } }
        return Task { await self.run(on: MainActor.shared) }
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

    /// The iterator and subscriber while there is demand, or nothing left but the end; otherwise the task ends.
    private func next() -> Pull? {
        state.withLock { state in
            guard let pull = state.pull, state.demand > .none || state.isEnding && pull.iterator.hasEnded else {
                state.task = nil
                return nil
            }
            return pull
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
