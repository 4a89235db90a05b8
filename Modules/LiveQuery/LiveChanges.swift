public import CausewayModels

/// The changes of a live collection as an asynchronous sequence.
///
/// Each iterator is independent: it returns the changes that *it* has not seen, merged into one change however far it
/// fell behind, and takes nothing from the others. The first change contains everything. Ends when the collection is
/// disposed of or the task is cancelled; and when the client is closed, after a change that reports it. Holding the
/// sequence or an iterator keeps the collection's window open.
public struct LiveChanges<Record: LiveRecord>: AsyncSequence, Sendable {
    public typealias Element = LiveCollectionChange<Record>
    public typealias Failure = Never

    let source: any LiveSource<Record>
    let lifetime: LiveLifetime

    public func makeAsyncIterator() -> Iterator { Iterator(source: source, lifetime: lifetime) }

    /// An iterator for use by one task at a time.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: any LiveSource<Record>
        private let lifetime: LiveLifetime
        private let reader: Int

        init(source: any LiveSource<Record>, lifetime: LiveLifetime) {
            self.source = source
            self.lifetime = lifetime
            reader = source.addReader()
        }

        deinit { source.removeReader(reader) }

        public func next() async -> LiveCollectionChange<Record>? {
            while !Task.isCancelled, !source.isFinished {
                // Read first, so that changes from before the end are always taken.
                let isOver = source.isOver
                if let pending = source.dequeue(reader) {
                    let change = pending.change()
                    if change.isDifferent { return change }
                    continue
                }
                if isOver { return nil }
                await source.waitForNews(reader)
            }
            return nil
        }

        /// Calls `body` on any thread, perhaps twice, when the sequence ends: when no change is to come beyond those
        /// that this iterator has not returned. See ``LiveSource/whenOver(_:_:)`` for the limits of `body`.
        package func whenOver(_ body: @escaping @Sendable () -> Void) { source.whenOver(reader, body) }

        /// True if ``next()`` returns no change any more.
        package var hasEnded: Bool { source.isFinished || source.isOver && !source.hasNews(reader) }

        public func next(isolation actor: isolated (any Actor)?) async -> LiveCollectionChange<Record>? {
            await next()
        }
    }
}
