import Synchronization

/// Keeps an observation alive. It ends with ``invalidate()`` or when the token is released.
///
/// A token keeps what it observes alive, too. Thread-safe.
public final class NotificationToken: Sendable {
    private struct Held {
        /// The live object or collection.
        var observed: any Sendable
        /// Holds the window open, too.
        var onInvalidate: @Sendable () -> Void
    }

    private let validity: Validity
    /// `nil` once it was invalidated: a token that somebody still has holds nothing then.
    private let held: Mutex<Held?>

    init(_ validity: Validity, of observed: any Sendable, onInvalidate: @escaping @Sendable () -> Void) {
        self.validity = validity
        held = Mutex(Held(observed: observed, onInvalidate: onInvalidate))
    }

    deinit { invalidate() }

    /// Ends the observation, and lets go of what it observed. On the main actor nothing is called afterwards; from
    /// elsewhere a call may be under way.
    public func invalidate() {
        let isFirst = validity.end()
        // Whatever ended it before, a last call or `dispose`: what is held goes now. It may run anything, so it goes
        // after the lock.
        let held = held.withLock { $0.take() }
        if isFirst { held?.onInvalidate() }
    }
}

/// Whether an observation goes on.
final class Validity: Sendable {
    private let isOver = Atomic<Bool>(false)

    var isValid: Bool { !isOver.load(ordering: .acquiring) }

    /// - Returns: false when it was over already.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}
