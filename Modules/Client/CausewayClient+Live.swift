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
    /// A ``MessagesQuery`` of a channel also requests pages from the server, as ``MessageRepository`` does for its
    /// list. All other queries show stored data, and are `fresh` as soon as that was read: the server is not asked.
    ///
    /// - Parameter query: must satisfy the requirements of ``LiveQuery``, which cannot be checked.
    @MainActor
    public func liveCollection<Query: LiveQuery>(_ query: Query) -> LiveCollection<Query.Record> {
        live.collection(query, remote: remote(for: query))
    }

    /// The first record of a query; see ``liveCollection(_:)``.
    @MainActor
    public func liveObject<Query: LiveQuery>(_ query: Query) -> LiveObject<Query.Record> {
        live.object(query, remote: remote(for: query))
    }

    private func remote<Query: LiveQuery>(for query: Query) -> (any RemoteSource<Query.Key>)? {
        guard let query = query as? MessagesQuery, case .channel(let channel) = query.scope else { return nil }
        return ChannelPager(engine: messages.engine, query: query, channel: channel) as? any RemoteSource<Query.Key>
    }
}

extension CausewayClient {
    /// Calls `subscriber` for every commit from now on, in commit order, on the committing thread.
    ///
    /// The subscriber must return quickly and must not call the client. It is released with the subscription.
    package func changes(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        messages.store.subscribe(subscriber)
    }
}
