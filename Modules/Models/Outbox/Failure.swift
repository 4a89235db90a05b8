/// The reason why a message is `error`.
public struct Failure: Sendable, Hashable, Codable {
    /// The kinds of failures.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server refused it permanently.
        case refused
        /// All attempts ended with a transient failure or without a response.
        case retriesUsedUp
        /// The session ended before it was delivered.
        case sessionEnded
        /// It was older than its limit.
        case expired
        /// It could not be encoded into a request.
        case unsendable
    }

    /// The kind of the failure.
    public let reason: Reason
    /// The server's or the network's machine-readable code for the failure (`channelNotFound`, `503`); may be empty.
    /// Constants for the known ones: ``FailureCode``.
    public let code: String
    /// A description for users. Contains no message text. May contain text from the server, so it must be escaped.
    public let detail: String
    /// The time of the failure, by the device's clock.
    public let at: Timestamp
    /// True if the message's lane is paused for as long as the message is `error`: ``HeadFailurePolicy/pauseLane``.
    public internal(set) var pausesLane: Bool

    /// - Parameter detail: cut to ``Limits/reasonCharactersMax`` characters.
    public init(reason: Reason, code: String, detail: String, at: Timestamp, pausesLane: Bool = false) {
        self.reason = reason
        self.code = code
        self.detail = String(detail.prefix(Limits.reasonCharactersMax))
        self.at = at
        self.pausesLane = pausesLane
    }

    /// The same failure without the pause of its lane.
    package var releasingLane: Failure {
        var failure = self
        failure.pausesLane = false
        return failure
    }
}

extension Failure {
    /// The failure code of a stored record that is no longer readable.
    package static let unreadableCode = FailureCode.unreadable

    /// The failure of a message whose stored record is no longer readable.
    package static func unreadable(at time: Timestamp) -> Failure {
        Failure(
            reason: .unsendable, code: unreadableCode, detail: "its record in the store is damaged; delete it",
            at: time)
    }

    /// The failure code of a message whose attachment the server does not have.
    package static let attachmentUnknownCode = FailureCode.attachmentUnknown

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

    /// Encodes `pausesLane` only when it is true: all other failures keep the layout from before pauses existed.
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
