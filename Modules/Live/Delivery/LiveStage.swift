import Synchronization

/// Brings frames to the main actor: all that one frame of the router changed in one turn, and never more than one turn
/// on the way.
///
/// Who owns what: the router puts frames into the slots under the gate, a turn takes all of them out under the gate. So
/// a turn finds every collection at the same version. Order of locks: gate, then an outlet's. Nobody is called under
/// either of them.
final class LiveStage: Sendable {
    private struct Presenter {
        weak var presenter: (any LivePresenter)?
    }

    private struct Gate {
        var presenters: [Int: Presenter] = [:]
        /// Windows with news for the main actor, in the order in which they came.
        var dirty: [Int] = []
        var isDirty: Set<Int> = []
        var isTurnOnItsWay = false

        mutating func mark(_ window: Int) {
            guard presenters[window] != nil, isDirty.insert(window).inserted else { return }
            dirty.append(window)
        }

        /// - Returns: true when a turn must be scheduled.
        mutating func callTurn() -> Bool {
            guard !dirty.isEmpty, !isTurnOnItsWay else { return false }
            isTurnOnItsWay = true
            return true
        }
    }

    private let gate = Mutex(Gate())
    private let delivery: any LiveDelivery
    private let plantedFault: LiveFault?

    init(_ delivery: any LiveDelivery, plantedFault: LiveFault?) {
        self.delivery = delivery
        self.plantedFault = plantedFault
    }

    func add(_ presenter: any LivePresenter, window: Int) {
        gate.withLock { $0.presenters[window] = Presenter(presenter: presenter) }
    }

    func remove(window: Int) {
        gate.withLock { gate in
            gate.presenters[window] = nil
            if gate.isDirty.remove(window) != nil { gate.dirty.removeAll { $0 == window } }
        }
    }

    /// Hands over the frames of one version, all or none as readers see it.
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

    /// Asks for a turn for a window although nothing in it changed.
    func requestTurn(window: Int) {
        let isFirst = gate.withLock { gate in
            gate.mark(window)
            return gate.callTurn()
        }
        if isFirst { scheduleTurn() }
    }

    private func scheduleTurn() { delivery.schedule { [weak self] in self?.turn() } }

    /// Shows and tells everything that was handed over until now, when the caller is the main actor.
    ///
    /// - Parameter caller: where the call comes from.
    func turn(for caller: (any Actor)?) {
        guard let caller, caller === MainActor.shared else { return }
        MainActor.assumeIsolated { turn() }
    }

    @MainActor private func turn() {
        let presenters = gate.withLock { gate in
            gate.isTurnOnItsWay = false
            let windows = plantedFault == .tearsFrames ? Array(gate.dirty.prefix(1)) : gate.dirty
            let presenters = windows.compactMap { gate.presenters[$0]?.presenter }
            gate.dirty.removeFirst(windows.count)
            gate.isDirty.subtract(windows)
            for presenter in presenters { presenter.take() }
            return presenters
        }
        // First everything is as it is in this version, then it is told: who is called finds no two lists at odds.
        for presenter in presenters { presenter.show() }
        for presenter in presenters { presenter.tell() }
        if plantedFault == .tearsFrames, gate.withLock({ $0.callTurn() }) { scheduleTurn() }
    }
}

/// Who shows a window on the main actor. The three steps come in this order, within one turn.
@MainActor protocol LivePresenter: AnyObject, Sendable {
    /// Takes what is new out of its slot. Called under the gate: calls nobody.
    func take()
    /// Sets what is observed.
    func show()
    /// Calls those who asked to be called.
    func tell()
}
