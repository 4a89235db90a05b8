public import CausewayModels
import CausewayOutbox
import CausewaySync

/// What creating a message returns: the message is durable, and this is the way to learn how it ends.
public struct MessageHandle: Sendable, Identifiable {
    /// The message as it was created.
    public let message: Message
    /// Whose it is; `nil` when nobody was ever logged in.
    let account: Account?
    let engine: SyncEngine

    public var id: MessageID { message.id }

    /// Waits until the message is on the server. May be called any number of times, by any task.
    ///
    /// Returns its place. Cancelling the waiting task does not touch the message.
    /// Throws ``DeliveryError/failed(_:)`` when it was given up, ``DeliveryError/deleted`` when somebody deleted it,
    /// and ``DeliveryError/unknown`` when the wait ended first: by cancellation, because the client was closed, or
    /// because another account logged in.
    public func delivered() async throws(DeliveryError) -> Placement {
        switch await engine.result(of: id, in: account) {
        case .delivered(let placement): return placement
        case .failed(let failure): throw .failed(failure)
        case .deleted: throw .deleted
        case nil: throw .unknown
        }
    }
}

/// How the delivery of a message ended other than well.
public enum DeliveryError: Error, Sendable, Hashable, CustomStringConvertible {
    case failed(Failure)
    case deleted
    /// The wait ended before the delivery did; the message stays as it is.
    case unknown

    public var description: String {
        switch self {
        case .failed(let failure): failure.description
        case .deleted: "the message was deleted"
        case .unknown: "the wait ended before the delivery did"
        }
    }
}
