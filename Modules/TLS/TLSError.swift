/// The reason why a secure connection could not be established, or ended.
///
/// A connection reports at most one of these. Its text is meant for an operator: it contains no secret and no payload,
/// and text from the peer is short and escaped.
public enum TLSError: Error, Sendable, Equatable {
    /// The peer's certificate was rejected here. No application byte was sent.
    case certificate(CertificateProblem, detail: String)
    /// The two sides have no version of TLS in common; this side supports 1.2 and 1.3.
    case protocolVersion(String)
    /// The handshake failed for another reason.
    case handshake(String)
    /// The peer rejected this side, with this reason. With TLS 1.3 a server may reject a client's certificate after the
    /// client's handshake has completed.
    case refusedByPeer(String)
    /// The connection ended without the peer's `close_notify`: the received data may be incomplete.
    case truncated
    /// The connection ended before the handshake was complete.
    case closedDuringHandshake
    /// The handshake did not end in time.
    case handshakeTimedOut(seconds: Int64)
    /// A record was damaged or did not follow the protocol.
    case brokenRecord(String)
    /// More than `limitBytes` were written before the handshake was complete.
    case heldTooMuch(limitBytes: Int)
    /// The peer caused more than `limitBytes` of messages of TLS itself and did not read them.
    case unreadMessages(limitBytes: Int)
    /// A file, a name or a setting of this side cannot be used.
    case configuration(String)
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .certificate(let problem, let detail):
            detail.isEmpty ? problem.description : "\(problem.description) (\(detail))"
        case .protocolVersion(let detail):
            "no common version of TLS; TLS 1.2 or newer is required (\(detail))"
        case .handshake(let detail):
            "the TLS handshake failed: \(detail)"
        case .refusedByPeer(let detail):
            "the peer rejected the TLS connection: \(detail)"
        case .truncated:
            "the TLS connection was cut off (no close_notify); data may be missing"
        case .closedDuringHandshake:
            "the peer closed the connection during the TLS handshake; "
                + "check that it speaks TLS at this address, and check its log"
        case .handshakeTimedOut(let seconds):
            "the TLS handshake did not complete within \(seconds) s; "
                + "check that the peer speaks TLS at this address"
        case .brokenRecord(let detail):
            "a TLS record was damaged: \(detail)"
        case .heldTooMuch(let limitBytes):
            "more than \(limitBytes) bytes were written before the TLS handshake was complete"
        case .unreadMessages(let limitBytes):
            "the peer requests TLS messages and does not read them (more than \(limitBytes) bytes)"
        case .configuration(let detail):
            "invalid TLS configuration: \(detail)"
        }
    }
}
