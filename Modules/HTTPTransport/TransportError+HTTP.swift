import CausewayHTTP
import CausewayModels
import CausewayTLS
import CausewayTransport

extension TransportError {
    /// The classification of a missing response; the table is at ``HTTPTransport``.
    init(_ error: HTTPClientError, of kind: RequestKind, to endpoint: HTTPEndpoint) {
        let detail = "\(endpoint): \(error)"
        switch error {
        case .tls(let problem, let requestSent):
            self.init(problem, requestSent: requestSent, of: kind, detail)
        case .proxyRefused(407):
            self = .actionRequired(ActionRequired(cause: .protocolMismatch, detail: detail))
        case .tooManyWaiting:
            self = .notSent(code: "clientBusy", detail: detail)
        case .invalidRequest:
            self = .refused(code: "unsendable", detail: detail)
        case .resolveFailed, .connectRefused, .connectFailed, .proxyRefused, .proxyFailed, .timeout,
            .connectionClosed, .malformedResponse, .headersTooLarge, .bodyTooLarge, .truncated, .shutdown, .cancelled:
            self = error.mayHaveReachedServer ? .inDoubt(detail: detail) : .unreachable(detail: detail)
        }
    }

    private init(_ problem: TLSError, requestSent: Bool, of kind: RequestKind, _ detail: String) {
        switch problem {
        case .truncated, .closedDuringHandshake, .handshakeTimedOut, .brokenRecord, .heldTooMuch, .unreadMessages:
            self = requestSent ? .inDoubt(detail: detail) : .unreachable(detail: detail)
        case .certificate, .protocolVersion, .handshake, .refusedByPeer, .configuration:
            if requestSent, kind == .delivery {
                self = .inDoubt(detail: detail)
            } else {
                self = .actionRequired(ActionRequired(cause: .certificate, detail: detail))
            }
        }
    }
}
