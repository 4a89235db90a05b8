public import CausewayLiveQuery

extension LiveObject {
    /// ``error`` as a ``ClientError``.
    public var clientError: ClientError? { error.map { ClientError(live: $0) } }
}

extension LiveCollection {
    /// ``error`` as a ``ClientError``.
    public var clientError: ClientError? { error.map { ClientError(live: $0) } }
}

extension LiveObjectChange {
    /// ``error`` as a ``ClientError``.
    public var clientError: ClientError? { error.map { ClientError(live: $0) } }
}

extension LiveCollectionChange {
    /// ``error`` as a ``ClientError``.
    public var clientError: ClientError? { error.map { ClientError(live: $0) } }
}
