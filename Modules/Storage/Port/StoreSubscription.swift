/// A subscription to the change feed. Ends with ``cancel()`` or when it is released.
public final class StoreSubscription: Sendable {
    private let onCancel: @Sendable () -> Void

    /// For implementers of ``Store``. `onCancel` may be called more than once.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Cancels the subscription. No call begins after this returns. It waits for a call that is under way on another
    /// thread, so the caller must not hold a lock that the subscriber takes. From within the subscriber it returns at
    /// once.
    public func cancel() { onCancel() }
}
