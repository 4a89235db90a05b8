package import CausewayTLS
package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTPTypesHTTP1

/// Sets up an accepted connection: TLS first, unless the server is plain, then HTTP/1.1 under `ConnectionLimits`.
package struct LimitedServerChannel: ServerChildChannel, HTTPChannelHandler {
    package typealias Value = GuardedConnection

    private let http: HTTP1Channel
    private let tls: TLSServerContext?
    private let registry: ConnectionRegistry
    private let unsentBytesMax: Int

    /// - Parameter tls: `nil` for plain HTTP.
    package init(
        responder: @escaping HTTPChannelHandler.Responder, tls: TLSServerContext?, limits: ConnectionLimits,
        refusal: ConnectionRefusal
    ) {
        let header = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headerFieldBytesMax, maxHeaderListSize: limits.headerListBytesMax,
            maxHeaderFieldCount: limits.headerFieldsMax)
        let registry = ConnectionRegistry(limits)
        self.registry = registry
        unsentBytesMax = limits.unsentBytesMax
        http = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionGuard(limits, refusal, registry)],
                idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: header))
        self.tls = tls
    }

    package var responder: HTTPChannelHandler.Responder { http.responder }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        // A rejected connection is set up too, and then closed: an error here would end the whole server.
        let isWanted = registry.open(channel)
        let detachable = DetachableChannel(channel)
        return channel.eventLoop.makeCompletedFuture {
            // A channel keeps the buffer of its first read, which is short on most connections. It grows by itself.
            try? channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
            if let tls { try channel.pipeline.syncOperations.addHandler(tls.makeHandler()) }
        }.flatMap {
            http.setup(channel: detachable, logger: logger)
        }.flatMap { value in
            UnsentBytes.set(unsentBytesMax, of: channel).map { value }
        }.map { value in
            let pipeline = channel.pipeline.syncOperations
            (try? pipeline.handler(type: ConnectionGuard.self))?.detachable = detachable
            if let codec = try? pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self).handler {
                try? pipeline.addHandler(RequestHeadGuard(), position: .before(codec))
            }
            if !isWanted { channel.close(promise: nil) }
            return GuardedConnection(value)
        }
    }

    package func handle(value: Value, logger: Logger) async {
        value.handled()
        await http.handle(value: value.http, logger: logger)
    }
}
