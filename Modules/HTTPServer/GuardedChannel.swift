package import CausewayTLS
package import HummingbirdCore
package import Logging
package import NIOCore

/// How an accepted connection is set up: TLS first, unless the server is plain, then HTTP/1.1 under
/// `ConnectionLimits`.
package struct GuardedChannel: ServerChildChannel, HTTPChannelHandler {
    package typealias Value = GuardedConnection

    private let http: HTTP1Channel
    private let tls: TLSServerContext?

    /// - Parameter tls: nil for plain HTTP.
    package init(
        responder: @escaping HTTPChannelHandler.Responder, tls: TLSServerContext?, limits: ConnectionLimits,
        refusal: ConnectionRefusal
    ) {
        let header = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headerFieldBytesMax, maxHeaderListSize: limits.headerListBytesMax,
            maxHeaderFieldCount: limits.headerFieldsMax)
        http = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionGuard(limits, refusal)], idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: header))
        self.tls = tls
    }

    package var responder: HTTPChannelHandler.Responder { http.responder }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            if let tls { try channel.pipeline.syncOperations.addHandler(tls.makeHandler()) }
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.map { GuardedConnection($0) }
    }

    package func handle(value: Value, logger: Logger) async {
        value.handled()
        await http.handle(value: value.http, logger: logger)
    }
}
