public import CausewayLiveQuery

// The errors of live objects and collections. The error of a page is thrown by the call that asks for it.

extension LiveObject {
    /// The reason why the store or the server could not be asked; `nil` if both could. Observable, like the other
    /// properties.
    public var error: ClientError? { underlyingError.map { ClientError(live: $0) } }
}

extension LiveCollection {
    /// The reason why the store or the server could not be asked, or why another page could not be requested
    /// (``ClientError/windowFull(recordsMax:)``); otherwise `nil`. Observable, like the other properties.
    public var error: ClientError? { underlyingError.map { ClientError(live: $0) } }
}

extension LiveObjectChange {
    /// The reason why the store or the server could not be asked; `nil` if both could.
    public var error: ClientError? { underlyingError.map { ClientError(live: $0) } }
}

extension LiveCollectionChange {
    /// The reason why the store or the server could not be asked; `nil` if both could.
    public var error: ClientError? { underlyingError.map { ClientError(live: $0) } }
}
