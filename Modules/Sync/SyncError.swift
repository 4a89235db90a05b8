package import CausewayModels
package import CausewayStorage

/// The reason why the engine did not perform a request.
package enum SyncError: Error, Sendable, Hashable {
    /// No user is logged in.
    case noSession
    /// Another user is logged in, and must log out first.
    case sessionExists(user: UserID, server: String)
    /// No message with this id exists here.
    case messageNotFound(MessageID)
    /// The message is not `error`, so there is nothing to resend.
    case notFailed(MessageID, SyncState)
    /// A later operation on the same message replaced this one: it is not resent, and ends with its verdict.
    case overtaken(MessageID)
    /// Another user wrote it.
    case notAuthor(MessageID)
    /// The id belongs to an operation on another message.
    case notAMessage(MessageID)
    /// An edit cannot change the type of a message.
    case typeDiffers(MessageID, MessageType, MessageType)
    /// ``Limits/operationsPerMessageMax`` operations on the message are waiting already.
    case tooManyOperations(MessageID)
    /// The server of the session has no operations of this kind; nothing was stored.
    case notSupported(OperationKind)
    case store(StoreError)
    case transport(TransportError)
    /// The engine was closed.
    case closed
}

extension SyncError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSession: "not logged in; log in first"
        case .sessionExists(let user, let server): "\(user) is logged in at \(server); log out first"
        case .messageNotFound(let id): "there is no message \(id)"
        case .notFailed(let id, let state): "message \(id) is \(state.rawValue), not failed; there is nothing to resend"
        case .overtaken(let id): "a later change to the same message replaced \(id); there is nothing to resend"
        case .notAuthor(let id): "message \(id) was written by another user"
        case .notAMessage(let id): "\(id) is an operation on another message; it can only be resent or deleted"
        case .typeDiffers(let id, let type, let other):
            "message \(id) is of type \(type.name); an edit cannot make it one of type \(other.name)"
        case .tooManyOperations(let id):
            "message \(id) already has \(Limits.operationsPerMessageMax) pending changes; try again later"
        case .notSupported(let kind): "the server does not support \(kind)"
        case .store(let error): error.description
        case .transport(let error): error.description
        case .closed: "the client is closed"
        }
    }
}
