/// The reason why a message in the outbox is not on the server yet.
public enum WaitReason: Sendable, Hashable, Codable {
    /// No user is logged in.
    case noSession
    /// The server cannot be reached; `nextProbe` is the time of the next attempt to connect.
    case offline(detail: String, nextProbe: Timestamp?)
    /// Reachable again, and waiting for the connection to prove stable.
    case settling(until: Timestamp)
    /// The last attempt failed; the next one begins at `until`.
    case backingOff(until: Timestamp, attempts: Int)
    /// The server asked to wait.
    case rateLimited(until: Timestamp)
    /// The server has reported repeatedly that another copy of the store delivers, or that its data were replaced; the
    /// outbox goes on under new numbers at `until`.
    case startingOver(until: Timestamp)
    /// User action is required first.
    case actionRequired(ActionRequired)
    /// An earlier message of the lane is delivered first.
    case behind(MessageID)
    /// A message that was created earlier in another lane is delivered first: ``OrderingPolicy/mediaAfterText``.
    case behindLane(LaneID, MessageID)
    /// A message of its lane failed, and must be resent or deleted first: ``HeadFailurePolicy/pauseLane``.
    case lanePaused(by: MessageID)
    /// The message that it refers to is not on the server yet.
    case parked(MessageID)
    /// The message that it refers to failed, and must be resent or deleted first.
    case blocked(by: MessageID)
    /// Its attachment is being uploaded.
    case uploading(sent: Int64, total: Int64)
    /// Sent, without a response yet.
    case inFlight(since: Timestamp)
    /// It is about to be sent.
    case ready
    /// An operator stopped the outbox.
    case paused
    /// The disk rejects writes; the queue resumes when it accepts them.
    case storeUnavailable(detail: String)
}

extension WaitReason {
    private enum CodingKeys: String, CodingKey {
        case noSession, offline, settling, backingOff, rateLimited, behind, behindLane, lanePaused, parked, blocked
        case uploading, inFlight, ready, paused, storeUnavailable, startingOver
        /// Its former name, which is what was stored and sent.
        case actionRequired = "needsAttention"
    }
}

extension WaitReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSession: "not logged in"
        case .offline(let detail, let nextProbe):
            "offline: \(detail)" + (nextProbe.map { "; trying again at \($0)" } ?? "")
        case .settling(let until): "reconnected; settling until \(until)"
        case .backingOff(let until, let attempts):
            (attempts > 0 ? "attempt \(attempts) failed; " : "") + "trying again at \(until)"
        case .rateLimited(let until): "the server asked to wait until \(until)"
        case .startingOver(let until):
            "the server reports another copy of this store, or other data of its own, again; going on at \(until)"
        case .actionRequired(let actionRequired): "needs attention: \(actionRequired)"
        case .behind(let message): "behind message \(message)"
        case .behindLane(let lane, let message): "behind message \(message) of the \(lane) lane"
        case .lanePaused(let message): "lane paused by failed message \(message); resend or delete it"
        case .parked(let message): "waiting for message \(message), which is not on the server yet"
        case .blocked(let message): "waiting for message \(message), which failed; resend or delete it"
        case .uploading(let sent, let total): "uploading, \(sent) of \(total) bytes"
        case .inFlight(let since): "in flight since \(since)"
        case .ready: "about to be sent"
        case .paused: "the outbox is paused"
        case .storeUnavailable(let detail): "the store rejects writes: \(detail)"
        }
    }
}

/// A condition that requires user action. The outbox pauses, no message fails, and the status reports the condition.
public struct ActionRequired: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of conditions.
    public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server refuses the token; the user must log in again.
        case tokenRefused
        /// The server's certificate does not verify, or the TLS handshake fails.
        case certificate
        /// The peer is not a Causeway server, or uses another version of the protocol.
        case protocolMismatch
        /// A newer process or copy of this store has taken over the outbox.
        case superseded
    }

    /// The kind of the condition.
    public let cause: Cause
    /// A description of the condition and of its remedy.
    public let detail: String

    /// Creates a condition; the detail is cut after ``Limits/reasonCharactersMax`` characters.
    public init(cause: Cause, detail: String) {
        self.cause = cause
        self.detail = String(detail.prefix(Limits.reasonCharactersMax))
    }

    /// The session has no token, so nothing can be sent until the user logs in.
    package static let noStoredToken = ActionRequired(
        cause: .tokenRefused, detail: "no token is stored for this session; log in again")

    public var description: String { detail }
}
