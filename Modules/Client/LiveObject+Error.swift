public import CausewayLiveQuery

// The errors of live objects and collections, and observers that get them as an argument. The error of a page is thrown
// by the call that asks for it.

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

extension LiveObject {
    /// Like `observe(_:)`, for a closure that gets the change's ``LiveObjectChange/error`` as an argument of its own.
    public func observe(
        _ body: @escaping @MainActor (LiveObject, LiveObjectChange<Record>, ClientError?) -> Void
    ) -> NotificationToken {
        observe { body($0, $1, $1.error) }
    }

    /// Like `observeOnce(_:)`, for a closure that gets the change's ``LiveObjectChange/error`` as an argument of its
    /// own.
    public func observeOnce(
        _ body: @escaping @MainActor (LiveObject, LiveObjectChange<Record>, ClientError?) -> Void
    ) -> NotificationToken {
        observeOnce { body($0, $1, $1.error) }
    }
}

extension LiveCollection {
    /// Like `observe(_:)`, for a closure that gets the change's ``LiveCollectionChange/error`` as an argument of its
    /// own.
    public func observe(
        _ body: @escaping @MainActor (LiveCollection, LiveCollectionChange<Record>, ClientError?) -> Void
    ) -> NotificationToken {
        observe { body($0, $1, $1.error) }
    }

    /// Like `observeOnce(_:)`, for a closure that gets the change's ``LiveCollectionChange/error`` as an argument of
    /// its own.
    public func observeOnce(
        _ body: @escaping @MainActor (LiveCollection, LiveCollectionChange<Record>, ClientError?) -> Void
    ) -> NotificationToken {
        observeOnce { body($0, $1, $1.error) }
    }
}
