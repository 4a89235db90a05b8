/// A place in the change feed. Ends with ``cancel()`` or when it is released.
public final class StoreSubscription: Sendable {
    private let onCancel: @Sendable () -> Void

    /// For implementers of ``Store``. `onCancel` may be called more than once.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// No call begins after this returns. It waits for a call that is under way on another thread: hold no lock that
    /// the subscriber takes. From within the subscriber it returns at once.
    public func cancel() { onCancel() }
}
