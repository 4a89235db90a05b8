/// The exit statuses of `causeway`, `causewayd` and `causeway-status`, in one table.
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
        case .failedForGood: "a message failed permanently, or was deleted before it was delivered"
        case .partly: "partial success: some messages were not sent, resent or deleted"
        case .usage: "usage error: unknown option or missing argument"
        case .badInput: "bad input: malformed JSON, text over the limit, invalid name or id"
        case .notFound: "message or file not found"
        case .unavailable: "unavailable: no connection to the server or the daemon, or the store is in use"
        case .software: "internal error of the program"
        case .unusableStore: "the store is damaged, or was written by a newer version"
        case .cannotCreate: "a folder, file or socket cannot be created or used"
        case .inputOutput: "the disk is full or failed, or standard output cannot be written"
        case .temporary: "temporary failure: still waiting, outbox full, or server busy"
        case .protocolProblem: "protocol error: not a Causeway server, or its certificate is not valid"
        case .notAllowed: "not permitted: not logged in, token refused, or another user is logged in"
        case .configuration: "invalid configuration"
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

extension ControlError.Code {
    /// The exit status of a program that this error ended.
    package var exitStatus: ExitStatus {
        switch self {
        case .usage: .usage
        case .badRequest, .tooLarge, .messageInvalid, .wrongState: .badInput
        case .notFound: .notFound
        case .forbidden, .noSession, .sessionExists, .notAuthor, .tokenRefused: .notAllowed
        case .unreachable, .superseded, .storeOwned, .stopping, .daemonUnreachable: .unavailable
        case .busy, .outboxFull, .responseLost: .temporary
        case .refused: .failedForGood
        case .certificate, .protocolMismatch: .protocolProblem
        case .storeUnusable: .unusableStore
        case .storeNotAccessible, .socketInUse, .socketNotAccessible: .cannotCreate
        case .storeFull, .storeFailed, .credentials, .outputClosed, .outputFailed: .inputOutput
        case .configuration: .configuration
        case .internalError: .software
        }
    }
}
