public import CausewayLiveQuery
public import CausewayModels

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// Publishes the changes of a live collection or object.
///
/// Each subscriber receives the changes that *it* has not seen, merged into one change however far it fell behind, and
/// first the complete contents. Nothing is buffered for it beyond that: a change is computed only when there is demand
/// for it, from the state that the subscriber saw last to the current one.
///
/// Values are delivered on the main actor, or on the executor that the caller named, one after the other, never before
/// the subscription returns. Completes when the collection is disposed of, and when the client is closed, after a
/// change that reports it; the completion itself needs no demand. A subscription keeps the collection's window open;
/// cancelling it releases the window, and on the main actor no value is delivered afterwards. On another executor one
/// may be under way.
public struct LiveChangePublisher<Record: LiveRecord>: Publisher {
    public typealias Output = LiveCollectionChange<Record>
    public typealias Failure = Never

    private let changes: LiveChanges<Record>
    /// `nil` for the main actor.
    private let executor: (any TaskExecutor)?

    init(_ changes: LiveChanges<Record>, on executor: (any TaskExecutor)? = nil) {
        self.changes = changes
        self.executor = executor
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let subscription = LiveSubscription(changes, subscriber, on: executor)
        subscriber.receive(subscription: subscription)
        subscription.awaitEnd()
    }
}

extension LiveChanges {
    /// Publishes the changes on the main actor. See ``LiveChangePublisher``.
    public var publisher: LiveChangePublisher<Record> { LiveChangePublisher(self) }

    /// Publishes the changes on threads of an executor, without the main actor. A scheduler is named with
    /// `receive(on:)`.
    public func publisher(on executor: any TaskExecutor) -> LiveChangePublisher<Record> {
        LiveChangePublisher(self, on: executor)
    }
}
