import CausewaySystem
import CausewayTLS
import NIOCore
import NIOHTTP1
import NIOPosix

extension HTTPClientError {
    /// The error of a request, given an error in the pipeline of its open connection.
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
            self = .malformedResponse("an unsolicited response")
        case let error as TLSError where error != .truncated:
            self = .tls(error, requestSent: true)
        default:
            self = hasFirstByte ? .truncated : .connectionClosed(requestSent: true)
        }
    }

    /// The error of a failed attempt to connect.
    init(connecting error: any Error, to target: String, host: String) {
        switch error {
        case let error as HTTPClientError:
            self = error
        case TLSError.handshakeTimedOut:
            self = .timeout(.connect, requestSent: false)
        case TLSError.closedDuringHandshake:
            self = .connectFailed(to: target, reason: "closed during the TLS handshake")
        case let error as TLSError:
            self = .tls(error, requestSent: false)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            self = .resolveFailed(host: host, reason: Self.words(resolving: error.dnsAError ?? error.dnsAAAAError))
        case let error as NIOConnectionError:
            self.init(connecting: error.connectionErrors[0].error, to: target, host: host)
        case let error as IOError where error.errnoCode == ECONNREFUSED || error.errnoCode == ENOENT:
            self = .connectRefused(to: target)
        case ChannelError.connectTimeout:
            self = .timeout(.connect, requestSent: false)
        case let error as IOError:
            self = .connectFailed(to: target, reason: SystemWords.words(for: error.errnoCode))
        default:
            self = .connectFailed(to: target, reason: "\(error)")
        }
    }

    /// The name service's description of the failure, without the type that wraps it.
    private static func words(resolving error: (any Error)?) -> String {
        switch error {
        case nil: "the name server did not respond"
        case let error as SocketAddressError.UnknownHost: error.errorDescription
        case let error as IOError: SystemWords.words(for: error.errnoCode)
        case let error?: "\(error)"
        }
    }
}
