import Synchronization

/// The change feed shared by the stores.
///
/// A store calls ``publish(_:)`` from one thread at a time, in commit order.
/// - Subscribers are called in the order of their subscription, each under its own gate.
/// - Cancelling takes the gate, so that no call begins after it returned. It waits for a call that runs on another
///   thread, so a caller must not hold a lock while cancelling that the subscriber itself takes. Cancelling from within
///   the subscriber (for example because its owner is released there) does not wait.
package final class CommitFeed: Sendable {
    private let subscribers = Mutex<[CommitSubscriber]>([])

    package init() {}

    /// True if there is a subscriber; otherwise a store need not list its changes.
    package var hasSubscribers: Bool { subscribers.withLock { !$0.isEmpty } }

    package func subscribe(_ call: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        let subscriber = CommitSubscriber(call)
        subscribers.withLock { $0.append(subscriber) }
        return StoreSubscription { [weak self] in
            self?.subscribers.withLock { $0.removeAll { $0 === subscriber } }
            subscriber.cancel()
        }
    }

    /// Calls every subscriber with the commit.
    package func publish(_ commit: StoreCommit) {
        for subscriber in subscribers.withLock({ $0 }) { subscriber.receive(commit) }
    }
}

/// One subscription of the feed.
///
/// `gate` is held during a call and owns the closure; `isCancelled` is set first and is read under the gate.
private final class CommitSubscriber: Sendable {
    typealias Handler = @Sendable (StoreCommit) -> Void

    /// The subscriber that is being called on this thread.
    @TaskLocal private static var current: ObjectIdentifier?

    /// Wraps the closure: held in the lock directly, it would be wrapped once more each time the lock is taken, and
    /// each commit would cost more than the one before.
    private struct Receiver {
        let call: Handler
    }

    private let gate: Mutex<Receiver?>
    private let isCancelled = Atomic<Bool>(false)

    init(_ call: @escaping Handler) { gate = Mutex(Receiver(call: call)) }

    func receive(_ commit: StoreCommit) {
        let retired = gate.withLock { receiver -> Receiver? in
            if let receiver, !isCancelled.load(ordering: .acquiring) {
                Self.$current.withValue(ObjectIdentifier(self)) { receiver.call(commit) }
            }
            // Cancelled earlier, or from within the call: the objects captured by the closure are released outside the
            // gate.
            return isCancelled.load(ordering: .acquiring) ? receiver.take() : nil
        }
        _ = retired
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        if Self.current == ObjectIdentifier(self) { return }
        let retired = gate.withLock { $0.take() }
        _ = retired
    }
}
