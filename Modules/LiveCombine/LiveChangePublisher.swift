public import CausewayLive

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// The changes of a live collection or object, as a publisher.
///
/// Each subscriber has its own place: it gets what *it* has not seen, merged into one change however far it fell
/// behind, and first everything that is there. Nothing is kept for it beyond that, whatever it demands: a
/// change is made only when there is demand for it, from what the subscriber saw last to what is there then.
///
/// Values come on the main actor, one after the other, never before the subscription returns. Completes when the
/// collection is disposed of. A subscription keeps the collection's window open; cancelling it lets go of the
/// window, and on the main actor nothing comes afterwards.
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
