import Synchronization

/// Keeps an observation alive. It ends with ``invalidate()`` or when the token is released.
///
/// A token also keeps the observed object alive. Thread-safe.
public final class NotificationToken: Sendable {
    private struct Held {
        /// The live object or collection.
        var observed: any Sendable
        /// Also holds the window open.
        var onInvalidate: @Sendable () -> Void
    }

    private let validity: Validity
    /// `nil` after invalidation: an invalidated token holds nothing.
    private let held: Mutex<Held?>

    init(_ validity: Validity, of observed: any Sendable, onInvalidate: @escaping @Sendable () -> Void) {
        self.validity = validity
        held = Mutex(Held(observed: observed, onInvalidate: onInvalidate))
    }

    deinit { invalidate() }

    /// Ends the observation and releases the observed object. On the main actor no call follows; from elsewhere a call
    /// may be under way.
    public func invalidate() {
        let isFirst = validity.end()
        // The held objects are released now, whether a last call or `dispose` ended the observation. Their
        // release may run arbitrary code, so it happens outside the lock.
        let held = held.withLock { $0.take() }
        if isFirst { held?.onInvalidate() }
    }
}

/// Whether an observation is still active.
final class Validity: Sendable {
    private let isOver = Atomic<Bool>(false)

    var isValid: Bool { !isOver.load(ordering: .acquiring) }

    /// - Returns: false if it had ended already.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}
