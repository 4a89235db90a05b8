import Synchronization

/// Keeps an observation alive. It ends with ``invalidate()`` or when the token is released.
///
/// A token keeps what it observes alive, too. Thread-safe.
public final class NotificationToken: Sendable {
    private struct Held {
        /// The live object or collection.
        var observed: (any Sendable)?
    }

    private let validity: Validity
    private let held: Mutex<Held>
    private let onInvalidate: @Sendable () -> Void

    init(_ validity: Validity, of observed: any Sendable, onInvalidate: @escaping @Sendable () -> Void) {
        self.validity = validity
        self.onInvalidate = onInvalidate
        held = Mutex(Held(observed: observed))
    }

    deinit { invalidate() }

    /// Ends the observation. On the main actor nothing is called afterwards; from elsewhere a call may be under way.
    public func invalidate() {
        guard validity.end() else { return }
        let observed = held.withLock { $0.observed.take() }
        onInvalidate()
        _ = observed
    }
}

/// Whether an observation goes on.
final class Validity: Sendable {
    private let isOver = Atomic<Bool>(false)

    var isValid: Bool { !isOver.load(ordering: .acquiring) }

    /// - Returns: false when it was over already.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}
