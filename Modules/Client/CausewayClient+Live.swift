public import CausewayLive
public import CausewayModels

/// Live objects and collections of the session, and of whatever a query says; those of messages as lists show them are
/// with ``messages``. Each begins at once and lives as long as it is held, or observed.
extension CausewayClient {
    /// The session that was begun last, ended or not, and what becomes of it.
    @MainActor
    public func liveSession() -> LiveObject<Session> { live.object(SessionQuery()) }

    /// What a query shows: one of those that are there, with other settings, or one of the application's own.
    ///
    /// A ``MessagesQuery`` of a channel asks the server for its pages, too, as ``MessageRepository`` does for its list.
    /// Everything else shows what is stored, and is `fresh` as soon as that was read: nothing is asked of the server.
    ///
    /// - Parameter query: keeps what ``LiveQuery`` asks of it; nobody can check that.
    @MainActor
    public func liveCollection<Query: LiveQuery>(_ query: Query) -> LiveCollection<Query.Record> {
        live.collection(query, remote: remote(for: query))
    }

    /// The first record of what a query shows; see ``liveCollection(_:)``.
    @MainActor
    public func liveObject<Query: LiveQuery>(_ query: Query) -> LiveObject<Query.Record> {
        live.object(query, remote: remote(for: query))
    }

    private func remote<Query: LiveQuery>(for query: Query) -> (any LiveRemote<Query.Key>)? {
        guard let query = query as? MessagesQuery, case .channel(let channel) = query.scope else { return nil }
        return ChannelRemote(engine: messages.engine, query: query, channel: channel) as? any LiveRemote<Query.Key>
    }
}
