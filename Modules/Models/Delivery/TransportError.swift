/// Why a call to a server gave no result, already classified (design: five kinds of failure).
public enum TransportError: Error, Sendable, Hashable {
    /// No byte of the request reached the server: it cannot be connected to.
    case unreachable(detail: String)
    /// The client itself did not send it (too much of its own is under way, its store cannot be read): nothing left
    /// this machine, and no attempt is used up.
    case notSent(code: String, detail: String)
    /// The server answered that it does not do it now; nothing was applied.
    case transient(code: String, detail: String)
    /// The request was sent, at least in part, and no answer of the protocol came: it may have been applied.
    case inDoubt(detail: String)
    /// The server answered that it failed while it did it: it may have been applied.
    case serverFailed(code: String, detail: String)
    /// The server asked to wait; nothing was applied.
    case rateLimited(after: Duration, detail: String)
    /// A person must act; nothing was applied.
    case needsAttention(Attention)
    /// Another copy of this store has delivered: this one was restored from a backup, or copied. Nothing was applied,
    /// and nothing that this opening sent under its outbox id will be.
    case storeForked(detail: String)
    /// The server lost data that it had acknowledged, or is another one: it knows another history than the delivery
    /// names. Nothing was applied.
    case historyChanged(detail: String)
    /// The request as a whole was refused for good; nothing was applied.
    case refused(code: String, detail: String)

    public var kind: FailureKind {
        switch self {
        case .unreachable, .notSent, .transient, .storeForked, .historyChanged: .transient
        case .inDoubt, .serverFailed: .inDoubt
        case .rateLimited: .rateLimited
        case .needsAttention: .needsAttention
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
        case .needsAttention(let attention): attention.detail
        }
    }
}
