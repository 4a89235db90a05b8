package import CausewayHubStorage
package import CausewayRecords

/// The reason why the hub cannot be set up, opened or run. Each states what failed, why, and what to do.
package enum HubError: Error, Sendable, Equatable {
    /// There is no hub in this folder yet.
    case notSetUp(folder: String)
    /// There is a hub already; nothing was changed.
    case alreadySetUp(path: String)
    /// Another process serves from this folder. `pid` is `nil` when the lock does not name its owner.
    case inUse(folder: String, pid: Int32?)
    /// The disk or the system reported an error.
    case io(path: String, detail: String)
    /// The address cannot be listened on.
    case cannotListen(address: String, detail: String)
    /// A setting is wrong.
    case configuration(String)
    /// An invalid name.
    case badName(kind: String, name: String, problem: String)
    /// The storage failed, or refused the request.
    case storage(HubStorageError)
    /// The rules of channels refused the request.
    case refused(RecordProblem)
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
        case .io(let path, let detail):
            "\(path): \(detail)"
        case .cannotListen(let address, let detail):
            "cannot listen on \(address): \(detail); choose another address with --listen"
        case .configuration(let detail):
            detail
        case .badName(let kind, let name, let problem):
            "the \(kind)'s name “\(name.prefix(64))” \(problem)"
        case .storage(let error):
            error.description
        case .refused(let problem):
            switch problem.code {
            case "channelNotFound": "\(problem.detail); see: causeway-hub channel list"
            case "accountNotFound": "\(problem.detail); see: causeway-hub account list"
            case "memberNotFound": "\(problem.detail); see: causeway-hub channel member list"
            default: problem.detail
            }
        }
    }
}
