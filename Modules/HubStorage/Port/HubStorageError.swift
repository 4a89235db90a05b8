/// The failure of a call to the hub's storage. `path` names the storage: a file, or an address without its secrets.
package enum HubStorageError: Error, Sendable, Equatable {
    /// There is a storage already; nothing was changed.
    case exists(path: String)
    /// The storage was written by a newer hub.
    case newerSchema(path: String)
    /// The content is not a hub's, or is damaged.
    case damaged(path: String, detail: String)
    /// The disk or the system reported an error.
    case io(path: String, detail: String)
    /// The commit failed: the changes may or may not be stored.
    case outcomeUnknown(path: String, detail: String)
    /// The storage failed and is being verified.
    case recovering(path: String)
    /// There is no room left.
    case full(path: String)
    /// Another process held the storage for too long.
    case busy(path: String)
    /// The calling task was cancelled; nothing was changed.
    case cancelled(path: String)
    /// An account with this name exists already.
    case taken(kind: String, name: String)
    /// There is no account with this name.
    case unknownAccount(name: String)
    /// A limit of ``HubStorageLimits`` is reached; `kind` is a plural.
    case tooMany(kind: String, limit: Int)
}

extension HubStorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exists(let path):
            "\(path) exists already; nothing was changed; choose another folder with --data, or delete this one "
                + "first"
        case .newerSchema(let path):
            "\(path) was written by a newer causeway-hub; use that version; nothing was changed"
        case .damaged(let path, let detail):
            "\(path) cannot be read as the hub's database: \(detail); nothing was changed; restore it from a backup"
        case .io(let path, let detail):
            "\(path): \(detail)"
        case .outcomeUnknown(let path, let detail):
            "\(path): \(detail); the last write may or may not have happened; check before you repeat it"
        case .recovering(let path):
            "\(path) failed and is being reopened; try again in a moment"
        case .full(let path):
            "no space left for \(path); free some space; nothing that was accepted is lost"
        case .busy(let path):
            "\(path) is in use by another process; try again in a moment"
        case .cancelled(let path):
            "a call to \(path) was cancelled; nothing was changed"
        case .taken(let kind, let name):
            "the \(kind) \(name) exists already"
        case .unknownAccount(let name):
            "no account named \(name); see: causeway-hub account list"
        case .tooMany(let kind, let limit):
            "the limit of \(limit) \(kind) of the hub is reached"
        }
    }
}
