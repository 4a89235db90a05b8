public import Causeway
public import CausewayLiveQuery

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// Publishers of single properties: first the current value, as soon as there is anything to show, and then every
/// different one. Otherwise like ``changePublisher``.
extension LiveCollection {
    /// The progress of loading.
    public nonisolated var loadingStatusPublisher: some Publisher<LoadingStatus, Never> {
        changePublisher.map(\.loadingStatus).removeDuplicates()
    }

    /// The origin of the data.
    public nonisolated var dataStatusPublisher: some Publisher<DataStatus, Never> {
        changePublisher.map(\.dataStatus).removeDuplicates()
    }

    /// Whether there is another page after the last record.
    public nonisolated var hasNextPublisher: some Publisher<Bool, Never> {
        changePublisher.map(\.hasNext).removeDuplicates()
    }

    /// Whether there is another page before the first record.
    public nonisolated var hasPreviousPublisher: some Publisher<Bool, Never> {
        changePublisher.map(\.hasPrevious).removeDuplicates()
    }

    /// Whether a page after the last record is being loaded.
    public nonisolated var isLoadingNextPublisher: some Publisher<Bool, Never> {
        changePublisher.map(\.isLoadingNext).removeDuplicates()
    }

    /// Whether a page before the first record is being loaded.
    public nonisolated var isLoadingPreviousPublisher: some Publisher<Bool, Never> {
        changePublisher.map(\.isLoadingPrevious).removeDuplicates()
    }

    /// Errors of the store or the server, `nil` when there is none any more.
    public nonisolated var errorPublisher: some Publisher<ClientError?, Never> {
        changePublisher.map(\.error).removeDuplicates()
    }

    /// The changes, ending with the first error of the store or the server, a `ClientError`.
    public nonisolated var throwingChangePublisher: some Publisher<LiveCollectionChange<Record>, any Error> {
        changePublisher.tryMap { change in
            if let error = change.error { throw error }
            return change
        }
    }
}

/// Publishers of single properties: first the current value, as soon as there is anything to show, and then every
/// different one. Otherwise like ``changePublisher``.
extension LiveObject {
    /// The progress of loading.
    public nonisolated var loadingStatusPublisher: some Publisher<LoadingStatus, Never> {
        changePublisher.map(\.loadingStatus).removeDuplicates()
    }

    /// The origin of the data.
    public nonisolated var dataStatusPublisher: some Publisher<DataStatus, Never> {
        changePublisher.map(\.dataStatus).removeDuplicates()
    }

    /// Errors of the store or the server, `nil` when there is none any more.
    public nonisolated var errorPublisher: some Publisher<ClientError?, Never> {
        changePublisher.map(\.error).removeDuplicates()
    }

    /// The changes, ending with the first error of the store or the server, a `ClientError`.
    public nonisolated var throwingChangePublisher: some Publisher<LiveCollectionChange<Record>, any Error> {
        changePublisher.tryMap { change in
            if let error = change.error { throw error }
            return change
        }
    }
}
