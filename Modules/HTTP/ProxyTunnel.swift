import NIOCore
import NIOHTTP1

/// Requests a tunnel from a proxy (CONNECT, RFC 9110 §9.3.6) and reports the result. The last handler of the pipeline
/// until the tunnel is established; then it and the two codecs before it are removed.
final class ProxyTunnel: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let target: String
    private let proxy: HTTPProxy
    private var established: EventLoopPromise<Void>?
    private var status = 0

    /// - Parameters:
    ///   - target: host and port of the server.
    ///   - established: completed once, when the tunnel is established or has failed.
    init(target: String, proxy: HTTPProxy, established: EventLoopPromise<Void>) {
        self.target = target
        self.proxy = proxy
        self.established = established
    }

    func ask(on channel: any Channel) {
        var headers: HTTPHeaders = ["Host": target]
        if let authorization = proxy.authorization {
            headers.add(name: "Proxy-Authorization", value: authorization)
        }
        let head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: target, headers: headers)
        channel.pipeline.syncOperations.write(NIOAny(HTTPClientRequestPart.head(head)), promise: nil)
        channel.pipeline.syncOperations.writeAndFlush(NIOAny(HTTPClientRequestPart.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
            // At once: the body of a refusal may be slow, or have no end.
            if status >= 300 { settle(.proxyRefused(status: status)) }
        case .body: break
        case .end:
            settle((200...299).contains(status) ? nil : .proxyRefused(status: status))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(.proxyFailed(reason: "it closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        settle(.proxyFailed(reason: "invalid HTTP response to CONNECT"))
    }

    private func settle(_ error: HTTPClientError?) {
        guard let promise = established else { return }
        established = nil
        if let error {
            promise.fail(error)
        } else {
            promise.succeed()
        }
    }
}
