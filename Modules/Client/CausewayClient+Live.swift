public import CausewayLiveQuery
public import CausewayModels
package import CausewayStorage

/// Live objects and collections of the session, and of arbitrary queries; those of common message lists are available
/// from ``messages``. Each starts at once and remains active as long as it is held or observed.
extension CausewayClient {
    /// The session that was started last, ended or not, and its changes.
    @MainActor
    public func liveSession() -> LiveObject<Session> { live.object(SessionQuery()) }

    /// A live collection of a query: one of the provided queries, with other settings, or one defined by the
    /// application.
    ///
    /// A query with pages on the server (``LiveQuery/remotePages(on:)``) also requests those: the messages of a
    /// channel, a list of records, one of either. All other queries show stored data, and are `fresh` as soon as that
    /// was read.
    ///
    /// - Parameter query: must satisfy the requirements of ``LiveQuery``, which cannot be checked.
    @MainActor
    public func liveCollection<Query: LiveQuery>(_ query: Query) -> LiveCollection<Query.Record> {
        live.collection(query, on: server)
    }

    /// The first record of a query; see ``liveCollection(_:)``.
    @MainActor
    public func liveObject<Query: LiveQuery>(_ query: Query) -> LiveObject<Query.Record> {
        live.object(query, on: server)
    }
}

extension CausewayClient {
    /// The changes of a query, for any task, without the main actor: first the stored records of the first page, then
    /// the server's, then every change. Each iterator sees all of them, merged however far it fell behind; the query is
    /// open as long as the sequence or one of its iterators exists.
    ///
    /// - Parameter query: as of ``liveCollection(_:)``.
    public func liveChanges<Query: LiveQuery>(of query: Query) -> LiveChanges<Query.Record> {
        live.changes(of: query, on: server)
    }

    /// Calls `subscriber` for every commit from now on, in commit order, on the committing thread.
    ///
    /// The subscriber must return quickly and must not call the client. It is released with the subscription.
    package func changes(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        messages.store.subscribe(subscriber)
    }
}
