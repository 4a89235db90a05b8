import CausewayTLS
import NIOCore
import NIOHTTP1
import NIOPosix

extension HTTPClientError {
    /// What an error in the pipeline of an open connection means for the request on it.
    init(onConnection error: any Error, hasFirstByte: Bool, limits: HTTPLimits) {
        switch error {
        case let error as HTTPClientError:
            self = error
        case HTTPParserError.headerOverflow:
            self = .headersTooLarge(bytesMax: limits.headerBytesMax)
        case HTTPParserError.invalidEOFState:
            self = hasFirstByte ? .truncated : .connectionClosed(requestSent: true)
        case let error as HTTPParserError:
            self = .malformedResponse("\(error)")
        case is ResponseDecoder.UnexpectedBytes, is NIOHTTPDecoderError:
            self = .malformedResponse("an answer that nobody asked for")
        case let error as TLSError where error != .truncated:
            self = .tls(error, requestSent: true)
        default:
            self = hasFirstByte ? .truncated : .connectionClosed(requestSent: true)
        }
    }

    /// What a failed attempt to connect means.
    init(connecting error: any Error, to target: String, host: String) {
        switch error {
        case let error as HTTPClientError:
            self = error
        case TLSError.handshakeTimedOut:
            self = .timeout(.connect, requestSent: false)
        case TLSError.closedDuringHandshake:
            self = .connectFailed(to: target, reason: "it was closed while it was being secured")
        case let error as TLSError:
            self = .tls(error, requestSent: false)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            let reason = error.dnsAError ?? error.dnsAAAAError
            self = .resolveFailed(host: host, reason: reason.map { "\($0)" } ?? "no answer")
        case let error as NIOConnectionError:
            self.init(connecting: error.connectionErrors[0].error, to: target, host: host)
        case let error as IOError where error.errnoCode == ECONNREFUSED || error.errnoCode == ENOENT:
            self = .connectRefused(to: target)
        case ChannelError.connectTimeout:
            self = .timeout(.connect, requestSent: false)
        default:
            self = .connectFailed(to: target, reason: "\(error)")
        }
    }
}
