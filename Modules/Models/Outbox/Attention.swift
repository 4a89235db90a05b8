/// Something that only a person can put right. The outbox pauses, no message fails, and the status says this.
public struct Attention: Sendable, Hashable, Codable, CustomStringConvertible {
    public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server refuses the token: log in again.
        case tokenRefused
        /// The server's certificate does not verify, or TLS cannot be agreed on.
        case certificate
        /// The other side is no Causeway server, or speaks another version.
        case protocolMismatch
        /// A newer process or copy of this store has taken over the outbox.
        case superseded
    }

    public let cause: Cause
    /// What happened and what to do, in words.
    public let detail: String

    public init(cause: Cause, detail: String) {
        self.cause = cause
        self.detail = String(detail.prefix(Limits.reasonCharactersMax))
    }

    public var description: String { detail }
}
