/// The reason why the hub cannot be set up, opened or run. Each states what failed, why, and what to do.
package enum HubError: Error, Sendable, Equatable {
    /// There is no hub in this folder yet.
    case notSetUp(folder: String)
    /// There is a hub already; nothing was changed.
    case alreadySetUp(path: String)
    /// Another process serves from this folder. `pid` is `nil` when the lock does not name its owner.
    case inUse(folder: String, pid: Int32?)
    /// The database was written by a newer hub.
    case newerSchema(path: String)
    /// The file is not a hub's database, or is damaged.
    case damaged(path: String, detail: String)
    /// The disk or the system reported an error.
    case io(path: String, detail: String)
    /// The commit failed: the changes may or may not be stored.
    case outcomeUnknown(path: String, detail: String)
    /// The storage failed and is being reopened.
    case recovering(path: String)
    /// The disk has no room left for the database.
    case full(path: String)
    /// Another process held the database for longer than `HubLimits.databaseBusySecondsMax`.
    case busy(path: String)
    /// The address cannot be listened on.
    case cannotListen(address: String, detail: String)
    /// A setting is wrong.
    case configuration(String)
    /// An invalid name.
    case badName(kind: String, name: String, problem: String)
    /// An account or channel with this name exists already.
    case taken(kind: String, name: String)
    /// There is no account with this name.
    case unknownAccount(name: String)
    /// There is no channel with this name.
    case unknownChannel(name: String)
    /// The channel has had messages and is kept for ever.
    case channelInUse(name: String)
    /// The hub has reached its limit.
    case tooMany(kind: String, limit: Int)
}

extension HubError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notSetUp(let folder):
            "no hub in \(folder); create one with: causeway-hub init --data \(folder)"
        case .alreadySetUp(let path):
            "\(path) exists already; nothing was changed; choose another folder with --data, or delete this one "
                + "first"
        case .inUse(let folder, let pid):
            "the hub in \(folder) is in use by \(pid.map { "process \($0)" } ?? "another process"); "
                + "stop it first"
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
        case .cannotListen(let address, let detail):
            "cannot listen on \(address): \(detail); choose another address with --listen"
        case .configuration(let detail):
            detail
        case .badName(let kind, let name, let problem):
            "the \(kind)'s name “\(name.prefix(64))” \(problem)"
        case .taken(let kind, let name):
            "the \(kind) \(name) exists already"
        case .unknownAccount(let name):
            "no account named \(name); see: causeway-hub account list"
        case .unknownChannel(let name):
            "no channel named \(name); see: causeway-hub channel list"
        case .channelInUse(let name):
            "the channel \(name) has had messages; only a channel that never had any can be removed"
        case .tooMany(let kind, let limit):
            "the hub has reached its limit of \(limit): \(kind)"
        }
    }
}
