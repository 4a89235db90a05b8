import CausewayHTTP
import CausewayTLS
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// Runs a client against a scripted server and shuts it down at the end.
func withClient<Result: Sendable>(
    port: Int, timeouts: HTTPTimeouts = .unhurried, limits: HTTPLimits = HTTPLimits(),
    body: (HTTPClient) async throws -> Result
) async throws -> Result {
    try await withClient(
        of: .tcp(host: "127.0.0.1", port: port, tls: false), timeouts: timeouts, limits: limits, body: body)
}

func withClient<Result: Sendable>(
    of endpoint: HTTPEndpoint, tls: TLSClientContext? = nil, timeouts: HTTPTimeouts = .unhurried,
    limits: HTTPLimits = HTTPLimits(),
    proxy: HTTPProxy? = nil, body: (HTTPClient) async throws -> Result
) async throws -> Result {
    let client = HTTPClient(
        endpoint: endpoint, tls: tls, timeouts: timeouts, limits: limits, proxy: proxy,
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
    do {
        let result = try await body(client)
        await client.shutdown()
        return result
    } catch {
        await client.shutdown()
        throw error
    }
}

extension HTTPClient {
    func get(_ path: String = "/") async throws -> HTTPClientResponse {
        try await send(HTTPClientRequest(method: .get, path: path))
    }

    func post(_ path: String = "/", _ body: String = "x") async throws -> HTTPClientResponse {
        try await send(HTTPClientRequest(method: .post, path: path, body: ByteBuffer(string: body)))
    }

    /// The error of the request; records an issue if there is a response.
    func failure(
        of request: HTTPClientRequest = HTTPClientRequest(method: .get, path: "/"),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> HTTPClientError {
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await send(request)
        } catch {
            return error
        }
        let unexpected = "answered with \(response.status.code): \(response.text)"
        try #require(Bool(false), "\(unexpected)", sourceLocation: sourceLocation)
        throw CancellationError()
    }
}

extension HTTPClientRequest {
    static let post = HTTPClientRequest(method: .post, path: "/", body: ByteBuffer(string: "x"))
}

extension HTTPClientResponse {
    var text: String { String(buffer: body) }
}

/// The name of an error, for tables.
extension HTTPClientError {
    var kind: String {
        switch self {
        case .tls(_, let requestSent): "tls(\(requestSent))"
        case .timeout(let phase, let requestSent): "timeout(\(phase), \(requestSent))"
        case .connectionClosed(let requestSent): "connectionClosed(\(requestSent))"
        case .shutdown(let requestSent): "shutdown(\(requestSent))"
        case .cancelled(let requestSent): "cancelled(\(requestSent))"
        case .proxyRefused(let status): "proxyRefused(\(status))"
        case .invalidRequest: "invalidRequest"
        case .resolveFailed: "resolveFailed"
        case .connectRefused: "connectRefused"
        case .connectFailed: "connectFailed"
        case .proxyFailed: "proxyFailed"
        case .malformedResponse: "malformedResponse"
        case .headersTooLarge: "headersTooLarge"
        case .bodyTooLarge: "bodyTooLarge"
        case .truncated: "truncated"
        case .tooManyWaiting: "tooManyWaiting"
        }
    }
}
