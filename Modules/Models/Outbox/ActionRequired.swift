/// A condition that requires user action. The outbox pauses, no message fails, and the status reports the condition.
public struct ActionRequired: Sendable, Hashable, Codable, CustomStringConvertible {
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

    public let cause: Cause
    /// A description of the condition and of its remedy.
    public let detail: String

    public init(cause: Cause, detail: String) {
        self.cause = cause
        self.detail = String(detail.prefix(Limits.reasonCharactersMax))
    }

    public var description: String { detail }
}
