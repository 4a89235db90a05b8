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
final class LiveSubscription<Record: LiveRecord, Downstream: Subscriber>: Subscription, Sendable
where Downstream.Input == LiveCollectionChange<Record>, Downstream.Failure == Never {
    /// Unchecked: neither property is `Sendable`. Both are used only by the one task that pulls, on the main actor;
    /// other threads at most release them.
    private struct Pull: @unchecked Sendable {
        let iterator: LiveChanges<Record>.Iterator
        let downstream: Downstream
    }

    private struct State {
        /// `nil` once the subscription has ended.
        var pull: Pull?
        var demand = Subscribers.Demand.none
        /// The task that pulls while there is demand.
        var task: Task<Void, Never>?
    }

    private let state: Mutex<State>

    init(_ changes: LiveChanges<Record>, _ downstream: Downstream) {
        state = Mutex(State(pull: Pull(iterator: changes.makeAsyncIterator(), downstream: downstream)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        state.withLock { state in
            guard state.pull != nil else { return }
            state.demand += demand
            if state.task == nil { state.task = Task { @MainActor in await self.run() } }
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
    @MainActor
    private func run() async {
        while let pull = next() {
            guard let change = await pull.iterator.next() else { return complete() }
            guard isWanted() else { return }
            let more = pull.downstream.receive(change)
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

    @MainActor
    private func complete() {
        let pull = state.withLock { state in
            defer { state = State() }
            return state.pull
        }
        pull?.downstream.receive(completion: .finished)
    }
}
