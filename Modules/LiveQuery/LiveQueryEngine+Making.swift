extension LiveQueryEngine {
    /// Creates a collection of a query. It starts at once.
    ///
    /// - Parameter remote: the server side; `nil` for queries that the server does not serve.
    @MainActor
    package func collection<Query: LiveQuery>(
        _ query: Query, remote: (any RemoteSource<Query.Key>)? = nil
    ) -> LiveCollection<Query.Record> {
        LiveCollection(core: core(query, isObject: false, remote))
    }

    /// Creates an object: the first record of a query. It starts at once.
    @MainActor
    package func object<Query: LiveQuery>(
        _ query: Query, remote: (any RemoteSource<Query.Key>)? = nil
    ) -> LiveObject<Query.Record> {
        LiveObject(core: core(query, isObject: true, remote))
    }

    /// Creates a collection of a query, with its pages on the server if it has any.
    @MainActor
    package func collection<Query: LiveQuery>(_ query: Query, on server: LiveServer) -> LiveCollection<Query.Record> {
        collection(query, remote: query.remotePages(on: server)?.source)
    }

    /// Creates an object: the first record of a query, with its pages on the server if it has any.
    @MainActor
    package func object<Query: LiveQuery>(_ query: Query, on server: LiveServer) -> LiveObject<Query.Record> {
        object(query, remote: query.remotePages(on: server)?.source)
    }

    /// Follows a query in any task, without the main actor: its window is open as long as the sequence or one of its
    /// iterators exists.
    ///
    /// - Parameter isObject: true for the first record of the query alone; without one the status is `notExist`.
    package nonisolated func changes<Query: LiveQuery>(
        of query: Query, isObject: Bool = false, on server: LiveServer
    ) -> LiveChanges<Query.Record> {
        let opened = open(query, isObject: isObject, remote: query.remotePages(on: server)?.source)
        return LiveChanges(source: opened.broadcaster, lifetime: opened.lifetime)
    }

    @MainActor
    private func core<Query: LiveQuery>(
        _ query: Query, isObject: Bool, _ remote: (any RemoteSource<Query.Key>)?
    ) -> ObservationCore<Query.Record> {
        let opened = open(query, isObject: isObject, remote: remote)
        return ObservationCore(lifetime: opened.lifetime, source: opened.broadcaster)
    }
}
