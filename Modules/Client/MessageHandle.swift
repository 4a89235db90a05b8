public import CausewayModels
import CausewayOutbox
import CausewaySync

/// A handle to a created message, which is durable, for awaiting the result of its delivery.
public struct MessageHandle: Sendable, Identifiable {
    /// The message as it was created.
    public let message: Message
    /// The account of the message; `nil` if no user was ever logged in.
    let account: Account?
    let engine: SyncEngine

    public var id: MessageID { message.id }

    /// Waits until the message is on the server. May be called any number of times, by any task.
    ///
    /// Returns its position. Cancelling the waiting task does not affect the message. Throws
    /// ``DeliveryError/failed(_:)`` if the delivery failed, ``DeliveryError/deleted`` if the message was deleted, and
    /// ``DeliveryError/unknown`` if the wait ended first: by cancellation, because the client was closed, or because
    /// another account logged in.
    public func delivered() async throws(DeliveryError) -> ServerPosition {
        try await engine.delivered(id, in: account)
    }
}

/// A handle to an operation of the outbox, for awaiting the result of its delivery.
public struct OperationHandle: Sendable, Identifiable {
    public let id: OperationID
    /// The account of the operation; `nil` if no user was ever logged in.
    let account: Account?
    let engine: SyncEngine

    /// Waits until the server has confirmed the operation. Otherwise like ``MessageHandle/delivered()``.
    public func delivered() async throws(DeliveryError) -> ServerPosition {
        try await engine.delivered(id, in: account)
    }
}

extension SyncEngine {
    fileprivate func delivered(_ id: OperationID, in account: Account?) async throws(DeliveryError) -> ServerPosition {
        switch await result(of: id, in: account) {
        case .delivered(let serverPosition): return serverPosition
        case .failed(let failure): throw .failed(failure)
        case .deleted: throw .deleted
        case nil: throw .unknown
        }
    }
}

/// An unsuccessful end of a delivery.
public enum DeliveryError: Error, Sendable, Hashable, CustomStringConvertible {
    case failed(Failure)
    case deleted
    /// The wait ended before the delivery did; the message is not affected.
    case unknown

    public var description: String {
        switch self {
        case .failed(let failure): failure.description
        case .deleted: "the message was deleted"
        case .unknown: "the wait ended before the message was delivered"
        }
    }
}
