public import Causeway
public import CausewayLiveQuery

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// Publishers of single properties: first the current value, as soon as there is anything to show, and then every
/// different one. Otherwise like ``changePublisher``: on the main actor, or with `(on:)` on threads of an executor.
extension LiveCollection {
    /// The progress of loading.
    public nonisolated var loadingStatusPublisher: some Publisher<LoadingStatus, Never> {
        changePublisher.values(\.loadingStatus)
    }

    /// The progress of loading, on threads of an executor.
    public nonisolated func loadingStatusPublisher(on executor: any TaskExecutor) -> some Publisher<
        LoadingStatus, Never
    > {
        changePublisher(on: executor).values(\.loadingStatus)
    }

    /// Whether the store or the server is being asked.
    public nonisolated var isLoadingPublisher: some Publisher<Bool, Never> {
        changePublisher.values { $0.loadingStatus == .loading }
    }

    /// Whether the store or the server is being asked, on threads of an executor.
    public nonisolated func isLoadingPublisher(on executor: any TaskExecutor) -> some Publisher<Bool, Never> {
        changePublisher(on: executor).values { $0.loadingStatus == .loading }
    }

    /// The origin of the data.
    public nonisolated var dataStatusPublisher: some Publisher<DataStatus, Never> {
        changePublisher.values(\.dataStatus)
    }

    /// The origin of the data, on threads of an executor.
    public nonisolated func dataStatusPublisher(on executor: any TaskExecutor) -> some Publisher<DataStatus, Never> {
        changePublisher(on: executor).values(\.dataStatus)
    }

    /// Whether there is another page after the last record.
    public nonisolated var hasNextPublisher: some Publisher<Bool, Never> { changePublisher.values(\.hasNext) }

    /// Whether there is another page after the last record, on threads of an executor.
    public nonisolated func hasNextPublisher(on executor: any TaskExecutor) -> some Publisher<Bool, Never> {
        changePublisher(on: executor).values(\.hasNext)
    }

    /// Whether there is another page before the first record.
    public nonisolated var hasPreviousPublisher: some Publisher<Bool, Never> { changePublisher.values(\.hasPrevious) }

    /// Whether there is another page before the first record, on threads of an executor.
    public nonisolated func hasPreviousPublisher(on executor: any TaskExecutor) -> some Publisher<Bool, Never> {
        changePublisher(on: executor).values(\.hasPrevious)
    }

    /// Whether a page after the last record is being loaded.
    public nonisolated var isLoadingNextPublisher: some Publisher<Bool, Never> {
        changePublisher.values(\.isLoadingNext)
    }

    /// Whether a page after the last record is being loaded, on threads of an executor.
    public nonisolated func isLoadingNextPublisher(on executor: any TaskExecutor) -> some Publisher<Bool, Never> {
        changePublisher(on: executor).values(\.isLoadingNext)
    }

    /// Whether a page before the first record is being loaded.
    public nonisolated var isLoadingPreviousPublisher: some Publisher<Bool, Never> {
        changePublisher.values(\.isLoadingPrevious)
    }

    /// Whether a page before the first record is being loaded, on threads of an executor.
    public nonisolated func isLoadingPreviousPublisher(on executor: any TaskExecutor) -> some Publisher<Bool, Never> {
        changePublisher(on: executor).values(\.isLoadingPrevious)
    }

    /// Errors of the store or the server, `nil` when there is none any more.
    public nonisolated var errorPublisher: some Publisher<ClientError?, Never> { changePublisher.values(\.error) }

    /// Errors of the store or the server, `nil` when there is none any more, on threads of an executor.
    public nonisolated func errorPublisher(on executor: any TaskExecutor) -> some Publisher<ClientError?, Never> {
        changePublisher(on: executor).values(\.error)
    }

    /// The changes, ending with the first error of the store or the server, a `ClientError`.
    public nonisolated var throwingChangePublisher: some Publisher<LiveCollectionChange<Record>, any Error> {
        changePublisher.throwing
    }

    /// The changes, ending with the first error of the store or the server, a `ClientError`, on threads of an executor.
    public nonisolated func throwingChangePublisher(
        on executor: any TaskExecutor
    ) -> some Publisher<LiveCollectionChange<Record>, any Error> {
        changePublisher(on: executor).throwing
    }
}

extension LiveChangePublisher {
    /// The values of a property: first the current one, and then every different one.
    func values<Value: Equatable>(_ property: @escaping (Output) -> Value) -> some Publisher<Value, Never> {
        map(property).removeDuplicates()
    }

    /// The changes, ending with the first error.
    var throwing: some Publisher<Output, any Error> {
        tryMap { change in
            if let error = change.error { throw error }
            return change
        }
    }
}
