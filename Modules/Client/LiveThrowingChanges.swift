public import CausewayLiveQuery
public import CausewayModels

/// The changes of a live object or collection as an asynchronous sequence that ends with the first error.
///
/// Like ``LiveChanges``, except that a change with an error is not returned: the error is thrown, and the iteration is
/// over. Another iterator may go on from there.
public struct LiveThrowingChanges<Record: LiveRecord>: AsyncSequence, Sendable {
    public typealias Element = LiveCollectionChange<Record>
    public typealias Failure = ClientError

    let changes: LiveChanges<Record>

    public func makeAsyncIterator() -> Iterator { Iterator(changes.makeAsyncIterator()) }

    /// An iterator for use by one task at a time.
    public final class Iterator: AsyncIteratorProtocol {
        private let changes: LiveChanges<Record>.Iterator
        private var isOver = false

        init(_ changes: LiveChanges<Record>.Iterator) { self.changes = changes }

        public func next() async throws(ClientError) -> LiveCollectionChange<Record>? {
            guard !isOver, let change = await changes.next() else { return nil }
            guard let error = change.error else { return change }
            isOver = true
            throw error
        }

        public func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> LiveCollectionChange<Record>? {
            try await next()
        }
    }
}

extension LiveChanges {
    /// The same changes, for callers that want an error of the store or the server to be thrown.
    public var throwing: LiveThrowingChanges<Record> { LiveThrowingChanges(changes: self) }
}
