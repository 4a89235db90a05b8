internal import NIOCore
internal import NIOHTTP1

/// Checks the head of a request before it is converted to a type that has neither its version nor every `Host`.
///
/// An HTTP/1.1 request names its host exactly once (RFC 9112 §3.2); after an HTTP/1.0 request the connection is closed,
/// and what it expects is ignored (RFC 9110 §10.1.1): its client would take an interim response for the final one.
final class RequestHeadGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    struct HostProblem: Error {}

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers["Host"].count
        let isOld = head.version.major < 1 || (head.version.major == 1 && head.version.minor < 1)
        guard hosts == 1 || (isOld && hosts == 0) else {
            isRefused = true
            return context.fireErrorCaught(HostProblem())
        }
        guard isOld else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        head.headers.remove(name: "Expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
