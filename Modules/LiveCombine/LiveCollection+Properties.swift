public import CausewayLiveQuery

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// Publishers of properties that only collections have; see ``LivePublishing``.
extension LiveCollection {
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
}
