public import CausewayModels

/// A named event of a live collection; see ``LiveCollection/on(_:_:)``.
///
/// Within one update events are reported in the order `loadingStatusChanged`, `dataStatusChanged`, `dataUpdated`,
/// `dataError`.
public struct LiveEvent<Record: LiveRecord, Payload>: Sendable {
    let step: LiveStep
    let payload: @Sendable (LiveCollectionChange<Record>) -> Payload?
}

/// A status before and after an update.
public struct LiveStatusChange<Status: Sendable & Hashable>: Sendable, Hashable {
    /// The status before the update.
    public let oldValue: Status
    /// The status after the update.
    public let newValue: Status
}

extension LiveEvent where Payload == LiveStatusChange<LoadingStatus> {
    /// ``LiveCollection/loadingStatus`` changed.
    public static var loadingStatusChanged: LiveEvent {
        LiveEvent(step: .loadingStatus) {
            LiveStatusChange(oldValue: $0.oldStatus.loading, newValue: $0.status.loading)
        }
    }
}

extension LiveEvent where Payload == LiveStatusChange<DataStatus> {
    /// ``LiveCollection/dataStatus`` changed.
    public static var dataStatusChanged: LiveEvent {
        LiveEvent(step: .dataStatus) { LiveStatusChange(oldValue: $0.oldStatus.data, newValue: $0.status.data) }
    }
}

extension LiveEvent where Payload == LiveCollectionChange<Record> {
    /// The data changed, or turned out to be those of the server.
    ///
    /// A handler that waits for ``LiveCollection/dataStatus`` to be ``DataStatus/fresh`` never misses them: one that is
    /// added while the displayed data are fresh is called once with all of them, after the call that adds it.
    public static var dataUpdated: LiveEvent { LiveEvent(step: .data) { $0 } }
}

extension LiveEvent where Payload == any Error {
    /// The store or the server could not be asked, or another page could not be requested; the displayed data
    /// remain. The error is a `ClientError`, the one that the property `error` has.
    public static var dataError: LiveEvent { LiveEvent(step: .error) { $0.status.error } }
}

/// The names of the events, for ``LiveCollection/removeAllListeners(_:)``.
public enum LiveEventName: Sendable, Hashable, CaseIterable {
    /// ``LiveEvent/loadingStatusChanged``.
    case loadingStatusChanged
    /// ``LiveEvent/dataStatusChanged``.
    case dataStatusChanged
    /// ``LiveEvent/dataUpdated``.
    case dataUpdated
    /// ``LiveEvent/dataError``.
    case dataError

    var step: LiveStep {
        switch self {
        case .loadingStatusChanged: .loadingStatus
        case .dataStatusChanged: .dataStatus
        case .dataUpdated: .data
        case .dataError: .error
        }
    }
}
