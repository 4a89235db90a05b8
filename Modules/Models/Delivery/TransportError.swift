/// The reason why a call to a server produced no result, already classified.
///
/// | kind of failure | cases | consequence |
/// | --- | --- | --- |
/// | transient | `unreachable`, `notSent`, `transient` | tried again; only `transient` uses up an attempt |
/// | rate limited | `rateLimited` | waits as asked; uses up no attempt |
/// | action required | `actionRequired` | nothing fails; the outbox pauses until a user has acted |
/// | refused | `refused` | the message becomes `error` at once |
/// | in doubt | `inDoubt`, `serverFailed` | tried again under the same id; uses up an attempt |
/// | other data on one side | `storeForked`, `historyChanged` | the outbox continues under another id |
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

    /// True if the request may have been applied nevertheless: only the server can tell, by a repeat or a fence.
    public var mayHaveBeenApplied: Bool {
        switch self {
        case .inDoubt, .serverFailed: true
        case .unreachable, .notSent, .transient, .rateLimited, .actionRequired, .storeForked, .historyChanged,
            .refused:
            false
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
