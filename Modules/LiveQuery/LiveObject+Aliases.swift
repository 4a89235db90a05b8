// The names that the documented SDKs use on one platform or another. Each is an alias of the name that is used here.

extension LiveObject {
    /// The record; an alias of ``snapshot``, as on iOS.
    public var object: Record? { snapshot }

    /// The record; an alias of ``snapshot``, as in JavaScript.
    public var model: Record? { snapshot }

    /// The changes from now on; an alias of ``changes``.
    public nonisolated var asStream: LiveChanges<Record> { changes }
}

extension LiveCollection {
    /// The records of the window; an alias of ``snapshots``, as in JavaScript.
    public var models: LiveSnapshot<Record> { snapshots }

    /// The changes from now on; an alias of ``changes``.
    public nonisolated var asStream: LiveChanges<Record> { changes }

    /// Widens the window by a page after its last record; an alias of `nextPage()`.
    public func loadNext() { nextPage() }

    /// Widens the window by a page before its first record; an alias of `previousPage()`.
    public func loadPrevious() { previousPage() }

    /// Returns to only the first page; an alias of ``resetPage()``.
    public func reset() { resetPage() }
}
