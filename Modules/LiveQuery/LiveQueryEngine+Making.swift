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

    @MainActor
    private func core<Query: LiveQuery>(
        _ query: Query, isObject: Bool, _ remote: (any RemoteSource<Query.Key>)?
    ) -> ObservationCore<Query.Record> {
        let opened = open(query, isObject: isObject, remote: remote)
        return ObservationCore(lifetime: opened.lifetime, source: opened.broadcaster)
    }
}
