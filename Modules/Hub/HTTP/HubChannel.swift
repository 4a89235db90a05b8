internal import CausewayTLS
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes

/// How an accepted connection is set up: TLS first, unless the hub is plain, then HTTP/1.1.
struct HubChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = HubConnection

    private let http: HTTP1Channel
    private let tls: TLSServerContext?

    /// - Parameter tls: nil for plain HTTP.
    init(responder: @escaping HTTPChannelHandler.Responder, tls: TLSServerContext?, limits: ConnectionLimits) {
        let header = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: HubLimits.headerFieldBytesMax, maxHeaderListSize: HubLimits.headerListBytesMax,
            maxHeaderFieldCount: HubLimits.headerFieldsMax)
        http = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionGuard(limits)], idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: header))
        self.tls = tls
    }

    var responder: HTTPChannelHandler.Responder { http.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            if let tls { try channel.pipeline.syncOperations.addHandler(tls.makeHandler()) }
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.map { HubConnection($0) }
    }

    func handle(value: Value, logger: Logger) async {
        value.handled()
        await http.handle(value: value.http, logger: logger)
    }
}
