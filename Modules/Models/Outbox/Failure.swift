/// The five kinds of failure of a delivery, never two (design: "five kinds").
public enum FailureKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not now, perhaps soon: a refused connection, a 5xx, an answer that is not the protocol's.
    case transient
    /// The server asked to wait for a stated time; uses up no retry.
    case rateLimited
    /// A person must act: a refused token, a certificate that does not verify. Nothing fails; the outbox pauses.
    case needsAttention
    /// Refused for good, with the server's reason.
    case refused
    /// Sent, and no answer came: the server may have it.
    case inDoubt
}

/// Why a message is `error`.
public struct Failure: Sendable, Hashable, Codable {
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server refused it for good.
        case refused
        /// All attempts ended with a transient failure or without an answer.
        case retriesUsedUp
        /// The session ended before it was delivered.
        case sessionEnded
        /// It was older than its limit.
        case expired
        /// It could not be put into a request.
        case unsendable
    }

    public let reason: Reason
    /// The server's or the network's machine-readable word for it (`channelNotFound`, `503`); may be empty.
    public let code: String
    /// What happened, in words for people. Holds no message text. May hold the server's words: escape it.
    public let detail: String
    /// When, by the device's clock.
    public let at: Timestamp
    /// True when the message's lane is paused for as long as the message is `error`:
    /// ``HeadFailurePolicy/pauseLane``.
    public internal(set) var pausesLane: Bool

    /// - Parameter detail: cut to ``Limits/reasonCharactersMax`` characters.
    public init(reason: Reason, code: String, detail: String, at: Timestamp, pausesLane: Bool = false) {
        self.reason = reason
        self.code = code
        self.detail = String(detail.prefix(Limits.reasonCharactersMax))
        self.at = at
        self.pausesLane = pausesLane
    }

    /// The same, where the lane goes on.
    package var releasingLane: Failure {
        var failure = self
        failure.pausesLane = false
        return failure
    }
}

extension Failure {
    /// The code of what is stored and cannot be read any more.
    package static let unreadableCode = "unreadable"

    /// The failure of a message whose record cannot be read any more.
    package static func unreadable(at time: Timestamp) -> Failure {
        Failure(
            reason: .unsendable, code: unreadableCode, detail: "its record in the store is damaged; delete it",
            at: time)
    }

    package var isUnreadable: Bool { reason == .unsendable && code == Self.unreadableCode }

    private enum Key: String, CodingKey { case reason, code, detail, at, pausesLane }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        reason = try values.decode(Reason.self, forKey: .reason)
        code = try values.decode(String.self, forKey: .code)
        detail = try values.decode(String.self, forKey: .detail)
        at = try values.decode(Timestamp.self, forKey: .at)
        pausesLane = try values.decodeIfPresent(Bool.self, forKey: .pausesLane) ?? false
    }

    /// Names the pause only when there is one: most failures look as they did before pauses were known.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(reason, forKey: .reason)
        try values.encode(code, forKey: .code)
        try values.encode(detail, forKey: .detail)
        try values.encode(at, forKey: .at)
        if pausesLane { try values.encode(true, forKey: .pausesLane) }
    }
}

extension Failure: CustomStringConvertible {
    public var description: String {
        let headline =
            switch reason {
            case .refused: "refused by the server"
            case .retriesUsedUp: "not delivered after all retries"
            case .sessionEnded: "the session ended before it was delivered"
            case .expired: "older than its limit"
            case .unsendable: "could not be sent"
            }
        return detail.isEmpty ? headline : "\(headline): \(detail)"
    }
}
