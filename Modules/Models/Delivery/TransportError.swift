/// The reason why a call to a server produced no result, already classified (design: five kinds of failure).
public enum TransportError: Error, Sendable, Hashable {
    /// No byte of the request reached the server: no connection could be made.
    case unreachable(detail: String)
    /// The client did not send the request (too many requests under way, its store cannot be read): nothing left this
    /// machine, and no attempt is used up.
    case notSent(code: String, detail: String)
    /// The server responded that it cannot do it now; nothing was applied.
    case transient(code: String, detail: String)
    /// The request was sent, at least in part, and no response of the protocol arrived: it may have been applied.
    case inDoubt(detail: String)
    /// The server responded that it failed while processing the request: it may have been applied.
    case serverFailed(code: String, detail: String)
    /// The server asked to wait; nothing was applied.
    case rateLimited(after: Duration, detail: String)
    /// User action is required; nothing was applied.
    case actionRequired(ActionRequired)
    /// Another copy of this store has delivered: this one was restored from a backup, or copied. Nothing was applied,
    /// and the server will apply nothing that this opening sent under its outbox id.
    case storeForked(detail: String)
    /// The server lost data that it had acknowledged, or is another server: its history is not the one that the
    /// delivery names. Nothing was applied.
    case historyChanged(detail: String)
    /// The request as a whole was refused permanently; nothing was applied.
    case refused(code: String, detail: String)

    public var kind: FailureKind {
        switch self {
        case .unreachable, .notSent, .transient, .storeForked, .historyChanged: .transient
        case .inDoubt, .serverFailed: .inDoubt
        case .rateLimited: .rateLimited
        case .actionRequired: .actionRequired
        case .refused: .refused
        }
    }
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let detail), .inDoubt(let detail), .rateLimited(_, let detail), .storeForked(let detail),
            .historyChanged(let detail):
            detail
        case .transient(let code, let detail), .notSent(let code, let detail), .serverFailed(let code, let detail),
            .refused(let code, let detail):
            code.isEmpty ? detail : "\(detail) (\(code))"
        case .actionRequired(let actionRequired): actionRequired.detail
        }
    }
}
