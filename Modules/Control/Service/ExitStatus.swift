/// The exit codes of `causeway` and `causewayd`, in one table.
///
/// The numbers above 63 are those of sysexits.h, which scripts and service managers know.
package enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
    case ok = 0
    case failedForGood = 1
    case partly = 2
    case usage = 64
    case badInput = 65
    case notFound = 66
    case unavailable = 69
    case software = 70
    case unusableStore = 72
    case cannotCreate = 73
    case inputOutput = 74
    case temporary = 75
    case protocolProblem = 76
    case notAllowed = 77
    case configuration = 78

    /// The description for the help.
    package var meaning: String {
        switch self {
        case .ok: "done"
        case .failedForGood: "a message failed for good, or was deleted before it was delivered"
        case .partly: "done in part: some messages were not sent, resent or deleted"
        case .usage: "wrong usage: an unknown option, a missing argument"
        case .badInput: "bad input: broken JSON, a text over the limit, a name or an id that is none"
        case .notFound: "there is no such message or file"
        case .unavailable: "not reachable: the server, the daemon, or a store that another process owns"
        case .software: "a mistake of the program itself"
        case .unusableStore: "the store is damaged, or was written by a newer version"
        case .cannotCreate: "a folder, file or socket cannot be made or used"
        case .inputOutput: "the disk is full or failed, or standard output cannot be written"
        case .temporary: "not now, perhaps later: still waiting, the outbox is full, the server is busy"
        case .protocolProblem: "the other side does not speak Causeway, or its certificate does not verify"
        case .notAllowed: "not allowed: nobody is logged in, the token is refused, somebody else is logged in"
        case .configuration: "the configuration is wrong"
        }
    }

    /// The table for `--help`: one line for each code.
    package static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return "  " + String(repeating: " ", count: 2 - number.count) + number + "  " + status.meaning
        }
        .joined(separator: "\n")
    }
}
