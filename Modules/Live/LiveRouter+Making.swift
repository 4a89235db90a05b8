extension LiveRouter {
    /// A collection of what the query shows. It begins at once.
    ///
    /// - Parameter remote: the server's part; `nil` for what the server has no say in.
    @MainActor
    package func collection<Query: LiveQuery>(
        _ query: Query, remote: (any LiveRemote<Query.Key>)? = nil
    ) -> LiveCollection<Query.Record> {
        LiveCollection(core: core(query, isObject: false, remote))
    }

    /// An object: the first record of what the query shows. It begins at once.
    @MainActor
    package func object<Query: LiveQuery>(
        _ query: Query, remote: (any LiveRemote<Query.Key>)? = nil
    ) -> LiveObject<Query.Record> {
        LiveObject(core: core(query, isObject: true, remote))
    }

    @MainActor
    private func core<Query: LiveQuery>(
        _ query: Query, isObject: Bool, _ remote: (any LiveRemote<Query.Key>)?
    ) -> LiveCore<Query.Record> {
        let opened = open(query, isObject: isObject, remote: remote)
        return LiveCore(lifetime: opened.lifetime, source: opened.outlet)
    }
}
