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
    /// A file, a name or a setting of this side cannot be used.
    case configuration(String)
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .certificate(let problem, let detail):
            detail.isEmpty ? problem.description : "\(problem.description) (\(detail))"
        case .protocolVersion(let detail):
            "The two sides have no version of TLS in common; TLS 1.2 or newer is needed. (\(detail))"
        case .handshake(let detail):
            "The secure connection could not be set up: \(detail)."
        case .refusedByPeer(let detail):
            "The other side refused the secure connection: \(detail)."
        case .truncated:
            "The connection was cut: it ended without the other side's closing word, so data may be missing."
        case .closedDuringHandshake:
            "The other side closed the connection while it was being secured. "
                + "Check that it speaks TLS at this address, and what its log says."
        case .handshakeTimedOut(let seconds):
            "The other side did not finish securing the connection within \(seconds) s. "
                + "Check that it speaks TLS at this address."
        case .brokenRecord(let detail):
            "The secure connection was damaged: \(detail)."
        case .heldTooMuch(let limitBytes):
            "More than \(limitBytes) bytes were written before the connection was secured."
        case .configuration(let detail):
            "TLS is not set up right: \(detail)."
        }
    }
}
