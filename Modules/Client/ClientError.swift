public import CausewayModels
public import CausewayStorage
public import CausewaySync

/// The reason why a call to a client failed. A failed call has no partial effect, except where its documentation
/// mentions steps.
///
/// A ``SyncError`` or a ``ContentProblem`` named in a comment is wrapped in ``sync(_:)`` or ``content(_:)``.
public enum ClientError: Error, Sendable, Hashable {
    /// A file could not be copied, stored or read.
    case blob(BlobError)
    /// The message violates a limit; nothing was created.
    case content(ContentProblem)
    /// The token could not be saved, read or removed.
    case credentials(CredentialError)
    case store(StoreError)
    case sync(SyncError)
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .blob(let error): error.description
        case .content(let problem): problem.description
        case .credentials(let error): error.description
        case .store(let error): error.description
        case .sync(let error): error.description
        }
    }
}
