import CausewayLiveQuery
public import CausewayModels
public import CausewayStorage
import CausewaySync
import CausewayTransport
public import Foundation

/// The reason why a call to a client failed. A failed call has no partial effect, except where its documentation
/// mentions steps.
///
/// The same cause is the same case, whatever the call. ``code`` is stable across versions.
public enum ClientError: Error, Sendable, Hashable {
    // MARK: The session

    /// No user is logged in, or another one by now.
    case noSession
    /// Another user is logged in, and must log out first.
    case sessionExists(user: UserID, server: String)
    /// The token could not be saved, read or removed.
    case credentials(CredentialError)
    /// The client was closed.
    case closed

    // MARK: Messages and operations

    /// The content violates a limit, or its type is not supported here; nothing was created. Of a download: the message
    /// has no file, or the store has none.
    case content(ContentProblem)
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

    // MARK: Live queries

    /// A collection holds as many records as it may; those beyond can be reached with another query, such as one that
    /// is anchored at the last of them.
    case windowFull(recordsMax: Int)

    // MARK: The disk and the server

    /// A file could not be copied, stored or read, for a reason of its own; see ``store(_:)``.
    case blob(BlobError)
    /// The store could not read or write. ``StoreError/outboxFull(messages:bytes:)`` and ``StoreError/full(detail:)``
    /// pass once there is room. A full disk is the latter for messages and files.
    case store(StoreError)
    /// The server could not be asked, or did not do what it was asked.
    case transport(TransportError)
}

extension ClientError {
    /// The case of an error without its details.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No user is logged in; log in first.
        case noSession
        /// Another user is logged in; log out first.
        case sessionExists
        /// The credential store failed; its description names the cause.
        case credentials
        /// The client was closed; open another one.
        case closed
        /// The message or reaction breaks a limit; change it.
        case content
        /// The message does not exist here, or was deleted.
        case messageNotFound
        /// The message has not failed; there is nothing to resend.
        case notFailed
        /// A later operation replaced this one; there is nothing to resend.
        case overtaken
        /// The message was written by another user.
        case notAuthor
        /// The id is that of an operation; it can only be resent or deleted.
        case notAMessage
        /// The edit has content of another type than the message.
        case typeDiffers
        /// Too many changes of the message are pending; call again when some were delivered.
        case tooManyOperations
        /// The server has no operations of this kind; do not call again.
        case notSupported
        /// The collection is full; query from a later record.
        case windowFull
        /// A file failed; the error describes which and why.
        case blob
        /// The store failed.
        case store
        /// The server refused the request, failed, or could not be reached; see ``TransportError``.
        case transport
    }

    /// The case without its details; stable across versions.
    public var code: Code {
        switch self {
        case .noSession: .noSession
        case .sessionExists: .sessionExists
        case .credentials: .credentials
        case .closed: .closed
        case .content: .content
        case .messageNotFound: .messageNotFound
        case .notFailed: .notFailed
        case .overtaken: .overtaken
        case .notAuthor: .notAuthor
        case .notAMessage: .notAMessage
        case .typeDiffers: .typeDiffers
        case .tooManyOperations: .tooManyOperations
        case .notSupported: .notSupported
        case .windowFull: .windowFull
        case .blob: .blob
        case .store: .store
        case .transport: .transport
        }
    }
}

extension ClientError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .noSession: "not logged in; log in first"
        case .sessionExists(let user, let server): "\(user) is logged in at \(server); log out first"
        case .credentials(let error): error.description
        case .closed: "the client is closed"
        case .content(let problem): problem.description
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
        case .windowFull(let recordsMax): LivePageError.windowFull(recordsMax: recordsMax).description
        case .blob(let error): error.description
        case .store(let error): error.description
        case .transport(let error): error.description
        }
    }
}

// MARK: - Errors of the layers below

extension ClientError {
    init(_ error: SyncError) {
        switch error {
        case .noSession: self = .noSession
        case .sessionExists(let user, let server): self = .sessionExists(user: user, server: server)
        case .messageNotFound(let id): self = .messageNotFound(id)
        case .notFailed(let id, let state): self = .notFailed(id, state)
        case .overtaken(let id): self = .overtaken(id)
        case .notAuthor(let id): self = .notAuthor(id)
        case .notAMessage(let id): self = .notAMessage(id)
        case .typeDiffers(let id, let type, let other): self = .typeDiffers(id, type, other)
        case .tooManyOperations(let id): self = .tooManyOperations(id)
        case .notSupported(let kind): self = .notSupported(kind)
        case .store(let problem): self.init(problem)
        case .transport(let problem): self = .transport(problem)
        case .closed: self = .closed
        }
    }

    /// The error of a live object or collection.
    init(live error: any Error) {
        switch error {
        case let error as ClientError: self = error
        case let error as SyncError: self.init(error)
        case let error as StoreError: self.init(error)
        case LivePageError.windowFull(let recordsMax): self = .windowFull(recordsMax: recordsMax)
        case LivePageError.disposed: self = .closed
        // A response that makes no sense, or an error of an application's own query.
        default: self = .transport(.inDoubt(detail: String(describing: error)))
        }
    }

    init(_ error: BlobError) {
        switch error {
        case .full(let detail): self = .store(.full(detail: detail))
        case .syncFailed(let detail): self = .store(.syncFailed(detail: detail))
        case .notAccessible(let path, let detail): self = .store(.notAccessible(path: path, detail: detail))
        case .closed: self = .closed
        default: self = .blob(error)
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .closed: self = .closed
        case .otherAccount: self = .noSession
        default: self = .store(error)
        }
    }
}
