package import CausewayTLS

/// The reason why a request has no response.
///
/// Callers decide by two questions. *May it have reached the server?* is ``mayHaveReachedServer``: `false` proves that
/// the server has seen nothing of the request, `true` is doubt, never certainty. *Is it worth another try?* is decided
/// by the caller from the case; a response with any status is not an error here.
///
/// No description contains a field, a body, a query or a proxy's password.
package enum HTTPClientError: Error, Sendable {
    /// The request is invalid; nothing was done.
    case invalidRequest(String)
    /// The name of the server (or of its proxy) has no address, or the name service did not respond.
    case resolveFailed(host: String, reason: String)
    /// The connection was refused, or the socket file does not exist.
    case connectRefused(to: String)
    /// Unreachable, not permitted, out of file descriptors, closed before it was secured …
    case connectFailed(to: String, reason: String)
    /// The proxy responded to CONNECT with this status, or did not forward a plain request (407). 407 means that it
    /// requires other credentials.
    case proxyRefused(status: Int)
    /// The proxy closed the connection or did not use HTTP.
    case proxyFailed(reason: String)
    /// The server could not be trusted, or violated TLS. With `requestSent: false` nothing but a handshake was sent. A
    /// cut connection is reported as ``connectFailed(to:reason:)``, ``connectionClosed(requestSent:)`` or
    /// ``truncated``; a handshake that takes too long as ``timeout(_:requestSent:)``.
    case tls(TLSError, requestSent: Bool)
    case timeout(Phase, requestSent: Bool)
    /// Closed or reset before the first byte of a response.
    ///
    /// - Parameter requestSent: `false` if provably nothing of the request was passed to the system.
    case connectionClosed(requestSent: Bool)
    /// The received bytes are not HTTP/1, or their framing is ambiguous.
    case malformedResponse(String)
    case headersTooLarge(bytesMax: Int)
    case bodyTooLarge(bytesMax: Int)
    /// The response is incomplete.
    case truncated
    /// The client's queue is full; nothing was done.
    case tooManyWaiting(requestsMax: Int)
    /// The client was shut down.
    case shutdown(requestSent: Bool)
    /// The calling task was cancelled.
    case cancelled(requestSent: Bool)

    package enum Phase: String, Sendable {
        case connect, firstByte, whole
        /// A transfer stood still, or was too slow.
        case idle, rate
    }

    /// `false` only if the server has certainly seen nothing of the request; `true` if it may have acted on it.
    package var mayHaveReachedServer: Bool {
        switch self {
        case .invalidRequest, .resolveFailed, .connectRefused, .connectFailed, .proxyRefused, .proxyFailed,
            .tooManyWaiting:
            false
        case .tls(_, let requestSent), .timeout(_, let requestSent), .connectionClosed(let requestSent),
            .shutdown(let requestSent),
            .cancelled(let requestSent):
            requestSent
        case .malformedResponse, .headersTooLarge, .bodyTooLarge, .truncated:
            true
        }
    }
}

extension HTTPClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidRequest(let reason): "the request was not sent: \(reason)"
        case .resolveFailed(let host, let reason): "cannot resolve \(host): \(reason)"
        case .connectRefused(let target): "connection to \(target) refused: nothing listens there"
        case .connectFailed(let target, let reason): "cannot connect to \(target): \(reason)"
        case .proxyRefused(407): "the proxy rejected the credentials (407)"
        case .proxyRefused(let status): "the proxy refused the connection (\(status))"
        case .proxyFailed(let reason): "the proxy failed: \(reason)"
        case .tls(let error, _): "\(error)"
        case .timeout(.connect, _): "no connection in time; check the address and the network"
        case .timeout(.firstByte, _): "no response in time"
        case .timeout(.whole, _): "the request took too long"
        case .timeout(.idle, _): "the transfer stood still"
        case .timeout(.rate, _): "the transfer was too slow"
        case .connectionClosed: "the server closed the connection without a response"
        case .malformedResponse(let reason): "invalid HTTP response: \(reason)"
        case .headersTooLarge(let max): "the response header is larger than \(max) bytes"
        case .bodyTooLarge(let max): "the response body is larger than \(max) bytes"
        case .truncated: "the response was cut off"
        case .tooManyWaiting(let max): "too many waiting requests (at most \(max))"
        case .shutdown: "the client was shut down"
        case .cancelled: "the request was cancelled"
        }
    }
}
