package import CausewaySystem

extension ControlError.Code {
    /// The exit status of a program that this error ended.
    package var exitStatus: ExitStatus {
        switch self {
        case .usage: .usage
        case .badRequest, .tooLarge, .messageInvalid, .wrongState: .badInput
        case .notFound: .notFound
        case .forbidden, .noSession, .sessionExists, .notAuthor, .tokenRefused: .notAllowed
        case .unreachable, .superseded, .storeOwned, .stopping, .daemonUnreachable: .unavailable
        case .busy, .outboxFull, .answerLost: .temporary
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

extension ControlError {
    /// The error of a program whose output cannot be written.
    package init(_ error: OutputError) {
        self.init(
            error == .closed ? .outputClosed : .outputFailed, "standard output cannot be written: \(error.description)")
    }
}
