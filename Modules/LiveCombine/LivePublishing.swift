public import Causeway
public import CausewayLiveQuery

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

/// A live object or collection as publishers; not meant for other types.
public protocol LivePublishing<Record>: Sendable {
    /// The kind of its records.
    associatedtype Record: LiveRecord

    /// Publishes the changes from now on, on the main actor. See ``LiveChangePublisher``.
    var changePublisher: LiveChangePublisher<Record> { get }

    /// Publishes the changes from now on, on threads of an executor, without the main actor.
    func changePublisher(on executor: any TaskExecutor) -> LiveChangePublisher<Record>
}

extension LiveObject: nonisolated LivePublishing {}
extension LiveCollection: nonisolated LivePublishing {}

/// Publishers of single properties: first the current value, as soon as there is anything to show, and then every
/// different one. Otherwise like ``changePublisher``: on the main actor, or with `(on:)` on threads of an executor.
extension LivePublishing {
    /// The progress of loading.
    public var loadingStatusPublisher: some Publisher<LoadingStatus, Never> {
        changePublisher.values(\.loadingStatus)
    }

    /// The progress of loading, on threads of an executor.
    public func loadingStatusPublisher(on executor: any TaskExecutor) -> some Publisher<
        LoadingStatus, Never
    > {
        changePublisher(on: executor).values(\.loadingStatus)
    }

    /// Whether the store or the server is being asked.
    public var isLoadingPublisher: some Publisher<Bool, Never> {
        changePublisher.values { $0.loadingStatus == .loading }
    }

    /// Whether the store or the server is being asked, on threads of an executor.
    public func isLoadingPublisher(on executor: any TaskExecutor) -> some Publisher<Bool, Never> {
        changePublisher(on: executor).values { $0.loadingStatus == .loading }
    }

    /// The origin of the data.
    public var dataStatusPublisher: some Publisher<DataStatus, Never> {
        changePublisher.values(\.dataStatus)
    }

    /// The origin of the data, on threads of an executor.
    public func dataStatusPublisher(on executor: any TaskExecutor) -> some Publisher<DataStatus, Never> {
        changePublisher(on: executor).values(\.dataStatus)
    }

    /// Errors of the store or the server, `nil` when there is none any more.
    public var errorPublisher: some Publisher<ClientError?, Never> { changePublisher.values(\.error) }

    /// Errors of the store or the server, `nil` when there is none any more, on threads of an executor.
    public func errorPublisher(on executor: any TaskExecutor) -> some Publisher<ClientError?, Never> {
        changePublisher(on: executor).values(\.error)
    }

    /// The changes, ending with the first error of the store or the server, a `ClientError`.
    public var throwingChangePublisher: some Publisher<LiveCollectionChange<Record>, any Error> {
        changePublisher.throwing
    }

    /// The changes, ending with the first error of the store or the server, a `ClientError`, on threads of an executor.
    public func throwingChangePublisher(
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
