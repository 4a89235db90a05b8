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
/// Values are delivered on the main actor, one after the other, never before the subscription returns. Completes when
/// the collection is disposed of. A subscription keeps the collection's window open; cancelling it releases the window,
/// and on the main actor no value is delivered afterwards.
public struct LiveChangePublisher<Record: LiveRecord>: Publisher {
    public typealias Output = LiveCollectionChange<Record>
    public typealias Failure = Never

    private let changes: LiveChanges<Record>

    init(_ changes: LiveChanges<Record>) { self.changes = changes }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        subscriber.receive(subscription: LiveSubscription(changes, subscriber))
    }
}
