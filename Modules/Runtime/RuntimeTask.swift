/// A task that a ``Runtime`` started.
public struct RuntimeTask: Sendable {
    private let task: Task<Void, Never>

    /// For implementers of ``Runtime``.
    public init(_ task: Task<Void, Never>) { self.task = task }

    /// Requests cancellation; returns at once.
    public func cancel() { task.cancel() }

    /// Waits until the task has ended.
    public func finished() async { await task.value }
}
