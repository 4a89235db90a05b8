import Synchronization

/// Lets senders work while a daemon runs. Safe from any task.
final class Gate: Sendable {
    private enum State {
        case open
        case shut([CheckedContinuation<Bool, Never>])
        case over
    }

    private let state = Mutex(State.shut([]))

    /// Waits until the gate is open.
    ///
    /// - Returns: false when it is closed for ever.
    func pass() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                switch state {
                case .open: return true
                case .over: return false
                case .shut(let others):
                    state = .shut(others + [continuation])
                    return nil
                }
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func open() { change(to: .open, telling: true) }
    func shut() { change(to: .shut([]), telling: nil) }
    func end() { change(to: .over, telling: false) }

    private func change(to new: State, telling answer: Bool?) {
        let waiting = state.withLock { state in
            guard case .shut(let waiting) = state else {
                state = new
                return [CheckedContinuation<Bool, Never>]()
            }
            state = answer == nil ? .shut(waiting) : new
            return answer == nil ? [] : waiting
        }
        for continuation in waiting { continuation.resume(returning: answer ?? false) }
    }
}
