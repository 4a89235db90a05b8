import Synchronization

/// Observers that are notified whenever the engine has processed its input: its status may have changed.
package final class StatusObservers: Sendable {
    private struct State {
        var observers: [Int: @Sendable (_ isLast: Bool) -> Void] = [:]
        var next = 0
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// - Parameter observer: called on any thread; must return quickly and must not call the engine. `isLast` is true
    ///   when the engine was closed.
    package func add(_ observer: @escaping @Sendable (_ isLast: Bool) -> Void) -> StatusObservation {
        let (number, hasEnded) = state.withLock { state in
            state.next += 1
            if !state.hasEnded { state.observers[state.next] = observer }
            return (state.next, state.hasEnded)
        }
        if hasEnded { observer(true) }
        return StatusObservation { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        let removed = state.withLock { $0.observers.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    func notify() {
        for observer in state.withLock({ Array($0.observers.values) }) { observer(false) }
    }

    func end() {
        let observers = state.withLock { state in
            defer { state.observers = [:] }
            state.hasEnded = true
            return Array(state.observers.values)
        }
        for observer in observers { observer(true) }
    }
}

/// Keeps an observer registered until it is released.
package final class StatusObservation: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}
