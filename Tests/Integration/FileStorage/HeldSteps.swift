import Synchronization

/// Steps of maintenance that are performed when a test says so.
final class HeldSteps: Sendable {
    private let steps = Mutex<[@Sendable () -> Void]>([])

    var isWaiting: Bool { steps.withLock { !$0.isEmpty } }

    func add(_ step: @escaping @Sendable () -> Void) { steps.withLock { $0.append(step) } }

    func performAll() {
        let waiting = steps.withLock { steps in
            defer { steps = [] }
            return steps
        }
        for step in waiting { step() }
    }
}
