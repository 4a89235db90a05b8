public import CausewayLiveQuery
public import CausewayModels
import CausewayOutbox
import CausewaySync
public import Foundation

/// A handle to a created message, which is durable, for awaiting the result of its delivery.
public struct MessageHandle: Sendable, Identifiable {
    /// The message as it was created.
    public let message: Message
    /// The account of the message; `nil` if no user was ever logged in.
    let account: Account?
    let engine: SyncEngine
    let liveEngine: LiveQueryEngine
    let server: LiveServer

    public var id: MessageID { message.id }

    /// The message as it is from now on: a new live object at each access.
    @MainActor public var live: LiveObject<Message> { liveEngine.object(OneMessageQuery(id), on: server) }

    /// Waits until the message is on the server. May be called any number of times, by any task.
    ///
    /// Returns its position. Cancelling the waiting task does not affect the message. Throws
    /// ``DeliveryError/failed(_:)`` if the delivery failed, ``DeliveryError/deleted`` if the message was deleted,
    /// ``DeliveryError/clientClosed`` if the client was closed first, and ``DeliveryError/unknown`` if the wait ended
    /// first for another reason: by cancellation, or because another account logged in.
    @discardableResult
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
    @discardableResult
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
        case nil: throw hasClosed ? .clientClosed : .unknown
        }
    }
}

/// An unsuccessful end of a delivery.
public enum DeliveryError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The message could not be stored; there is nothing to deliver.
    case notCreated(ClientError)
    /// The server refused it, or it could not be delivered; it is `error` and can be resent.
    case failed(Failure)
    /// The message was deleted.
    case deleted
    /// The client was closed before the delivery ended; the message is not affected.
    case clientClosed
    /// The wait ended before the delivery did, by cancellation or because another account logged in; the message is not
    /// affected.
    case unknown

    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .notCreated(let error): error.description
        case .failed(let failure): failure.description
        case .deleted: "the message was deleted"
        case .clientClosed: "the client was closed before the message was delivered"
        case .unknown: "the wait ended before the message was delivered"
        }
    }
}
