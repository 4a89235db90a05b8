import Synchronization

/// Delivers frames to the main actor: all changes of one frame of the router in one turn, with at most one turn
/// scheduled at a time.
///
/// Ownership: the router publishes frames into the slots under the gate, a turn takes all of them under the gate. So a
/// turn finds every collection at the same version. Order of locks: gate, then an outlet's. No caller's code runs under
/// either of them.
final class FrameScheduler: Sendable {
    private struct Presenter {
        weak var presenter: (any LivePresenter)?
    }

    private struct Gate {
        var presenters: [Int: Presenter] = [:]
        /// Windows with changes for the main actor, in the order of their arrival.
        var dirty: [Int] = []
        var isDirty: Set<Int> = []
        var isTurnOnItsWay = false

        mutating func mark(_ window: Int) {
            guard presenters[window] != nil, isDirty.insert(window).inserted else { return }
            dirty.append(window)
        }

        /// - Returns: true if a turn must be scheduled.
        mutating func callTurn() -> Bool {
            guard !dirty.isEmpty, !isTurnOnItsWay else { return false }
            isTurnOnItsWay = true
            return true
        }
    }

    private let gate = Mutex(Gate())
    private let delivery: any LiveDelivery

    init(_ delivery: any LiveDelivery) { self.delivery = delivery }

    func add(_ presenter: any LivePresenter, window: Int) {
        gate.withLock { $0.presenters[window] = Presenter(presenter: presenter) }
    }

    var presenterCount: Int { gate.withLock { $0.presenters.count } }

    func remove(window: Int) {
        gate.withLock { gate in
            gate.presenters[window] = nil
            if gate.isDirty.remove(window) != nil { gate.dirty.removeAll { $0 == window } }
        }
    }

    /// Publishes the frames of one version, atomically for readers.
    func publish(_ frames: [(window: Int, put: () -> Void)]) {
        let isFirst = gate.withLock { gate in
            for frame in frames {
                frame.put()
                gate.mark(frame.window)
            }
            return gate.callTurn()
        }
        if isFirst { scheduleTurn() }
    }

    /// Requests a turn for a window although nothing in it changed.
    func requestTurn(window: Int) {
        let isFirst = gate.withLock { gate in
            gate.mark(window)
            return gate.callTurn()
        }
        if isFirst { scheduleTurn() }
    }

    private func scheduleTurn() { delivery.schedule { [weak self] in self?.turn() } }

    /// Displays all published frames and notifies their observers, if the caller is the main actor.
    ///
    /// - Parameter caller: the actor that the call comes from.
    func turn(for caller: (any Actor)?) {
        guard let caller, caller === MainActor.shared else { return }
        MainActor.assumeIsolated { turn() }
    }

    @MainActor private func turn() {
        let presenters = gate.withLock { gate in
            gate.isTurnOnItsWay = false
            let presenters = gate.dirty.compactMap { gate.presenters[$0]?.presenter }
            gate.dirty.removeAll(keepingCapacity: true)
            gate.isDirty.removeAll(keepingCapacity: true)
            for presenter in presenters { presenter.dequeue() }
            return presenters
        }
        // All collections are updated to this version before observers are notified, so that an observer never finds
        // two lists at different versions.
        for presenter in presenters { presenter.apply() }
        for presenter in presenters { presenter.notifyObservers() }
    }
}

/// Displays a window on the main actor. The three steps are called in this order, within one turn.
@MainActor protocol LivePresenter: AnyObject, Sendable {
    /// Takes the changes out of the slot. Called under the gate, so it must call no observer.
    func dequeue()
    /// Sets the observed properties.
    func apply()
    /// Calls the observers.
    func notifyObservers()
}
