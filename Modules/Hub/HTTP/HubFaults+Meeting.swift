internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The hub itself never answers in HTML: such an answer is a fault's, and leaves without the protocol's header.
private let foreignType = "text/html"

extension HubFaults {
    func meet(_ scope: Scope, _ channel: any Channel) async throws -> Response? {
        try await next(scope)?.meetBefore(channel)
    }

    static func isForeign(_ response: Response) -> Bool { response.headers[.contentType] == foreignType }
}

extension HubFaults.Fault {
    /// What happens before the request is looked at; a response ends it.
    func meetBefore(_ channel: any Channel) async throws -> Response? {
        switch self {
        case .answer(let status, let code, let retryAfter):
            var refusal = HubRefusal(.init(code: status), code: code, detail: "A fault for a test.")
            if let retryAfter { refusal.headers[.retryAfter] = retryAfter }
            throw refusal
        case .foreignPage(let status):
            return Response(
                status: .init(code: status), headers: [.contentType: foreignType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "<html><body>Welcome to the Wi-Fi</body></html>")))
        case .cutBefore:
            try await channel.close()
            throw ChannelError.alreadyClosed
        case .delay(let duration):
            try await Task.sleep(for: duration)
            return nil
        case .cutAfter, .tryLater:
            return nil
        }
    }

    /// What happens when the work is done.
    func meetAfter(_ channel: any Channel) async throws {
        guard case .cutAfter = self else { return }
        try await channel.close()
        throw ChannelError.alreadyClosed
    }
}
