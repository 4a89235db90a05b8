public import CausewayModels
public import CausewayStorage
public import CausewaySync

/// Why a call to a client did not do what it was asked to. Nothing is half done, except where a call says that it works
/// in steps.
///
/// Where a comment names a ``SyncError`` or a ``ContentProblem``, it comes wrapped in ``sync(_:)`` or ``content(_:)``.
public enum ClientError: Error, Sendable, Hashable {
    /// The message breaks a limit; nothing was created.
    case content(ContentProblem)
    /// The token could not be kept, read or removed.
    case credentials(CredentialError)
    case store(StoreError)
    case sync(SyncError)
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .content(let problem): problem.description
        case .credentials(let error): error.description
        case .store(let error): error.description
        case .sync(let error): error.description
        }
    }
}
