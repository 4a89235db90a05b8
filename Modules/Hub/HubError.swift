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
            "There is no hub in \(folder). Make one with: causeway-hub init --data \(folder)"
        case .alreadySetUp(let path):
            "\(path) is there already; nothing was changed. Choose another folder with --data, or delete that one "
                + "first."
        case .inUse(let folder, let pid):
            "The hub in \(folder) is being served by \(pid.map { "process \($0)" } ?? "another process"). "
                + "Stop it first."
        case .newerSchema(let path):
            "\(path) was written by a newer causeway-hub. Use that version; nothing was changed."
        case .damaged(let path, let detail):
            "\(path) cannot be read as the hub's database: \(detail). Nothing was changed; restore it from a backup."
        case .io(let path, let detail):
            "\(path): \(detail)."
        case .outcomeUnknown(let path, let detail):
            "\(path): \(detail). What was being written may be there or not; look before you repeat it."
        case .recovering(let path):
            "\(path) failed and is being opened anew. Try again in a moment."
        case .full(let path):
            "There is no room left for \(path). Free some space; nothing that was accepted is lost."
        case .busy(let path):
            "\(path) is held by another process. Try again in a moment."
        case .cannotListen(let address, let detail):
            "Cannot listen on \(address): \(detail). Choose another address with --listen."
        case .configuration(let detail):
            detail
        case .badName(let kind, let name, let problem):
            "The \(kind)'s name “\(name.prefix(64))” \(problem)."
        case .taken(let kind, let name):
            "There is already a \(kind) called \(name)."
        case .unknownAccount(let name):
            "There is no account called \(name). See: causeway-hub account list"
        case .unknownChannel(let name):
            "There is no channel called \(name). See: causeway-hub channel list"
        case .channelInUse(let name):
            "The channel \(name) has had messages and is kept; only a channel without any can be removed."
        case .tooMany(let kind, let limit):
            "The hub takes \(limit) of this kind and holds them already: \(kind)."
        }
    }
}
