internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The hub itself never responds in HTML: such a response is a fault's, and is sent without the protocol's header.
private let foreignType = "text/html"

extension HubFaults {
    func inject(_ scope: Scope, _ channel: any Channel) async throws -> Response? {
        try await next(scope)?.injectBefore(channel)
    }

    static func isForeign(_ response: Response) -> Bool { response.headers[.contentType] == foreignType }
}

extension HubFaults.Fault {
    /// Applies a fault before the request is read; a returned response ends the request.
    func injectBefore(_ channel: any Channel) async throws -> Response? {
        switch self {
        case .respond(let status, let code, let retryAfter):
            var refusal = HubHTTPError(.init(code: status), code: code, detail: "A fault for a test.")
            if let retryAfter { refusal.headers[.retryAfter] = retryAfter }
            throw refusal
        case .foreignPage(let status):
            return Response(
                status: .init(code: status), headers: [.contentType: foreignType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "<html><body>Welcome to the Wi-Fi</body></html>")))
        case .brokenBody:
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody { _ in throw ChannelError.eof })
        case .cutBefore:
            try await channel.close()
            throw ChannelError.alreadyClosed
        case .hold(let hold):
            await hold.wait()
            return nil
        case .cutAfter, .tryLater:
            return nil
        }
    }

    /// Applies a fault after the request was handled.
    func injectAfter(_ channel: any Channel) async throws {
        guard case .cutAfter = self else { return }
        try await channel.close()
        throw ChannelError.alreadyClosed
    }
}
