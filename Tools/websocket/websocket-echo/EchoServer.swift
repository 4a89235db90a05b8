import CausewayHTTPServer
import CausewayWebSocket
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The hub's way from a request to a WebSocket, with an echo behind it.
enum EchoServer {
    private struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    /// Listens on a port of loopback that the system chooses, and prints it; ends with the process.
    static func run() async throws {
        let responder = CallbackResponder<Context> { request, context in
            try await respond(to: request, on: context.channel)
        }
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                LimitedServerChannel(
                    responder: responder, tls: nil, limits: limits,
                    refusal: ConnectionRefusal { (HTTPResponse(status: $0.status), ByteBuffer()) })
            },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // Unbuffered: a script reads it through a pipe.
                try? FileHandle.standardOutput.write(
                    contentsOf: Data("listening on \(channel.localAddress?.port ?? 0)\n".utf8))
            },
            logger: Logger(label: "echo") { _ in SwiftLogNoOpLogHandler() })
        try await application.run()
    }

    private static func respond(to request: Request, on channel: any Channel) async throws -> Response {
        let asked = HTTPHeaders(request.headers)
        let fields: HTTPHeaders
        let compression: PerMessageDeflate?
        do {
            let key = try WebSocketHandshake.key(of: asked, subprotocol: nil)
            let accepted = try PerMessageDeflate.accepting(asked["Sec-WebSocket-Extensions"])
            compression = accepted?.0
            fields = try await WebSocketHandshake.responseFields(
                key: key, subprotocol: nil, extensions: accepted?.response, on: channel)
        } catch {
            return Response(status: .badRequest)
        }
        channel.triggerUserOutboundEvent(
            ConnectionUpgrade { _ in
                WebSocketHandler(isServer: true, Echo.limits, compression, owner: Echo()).pipeline
            }, promise: nil)
        var response = Response(status: .switchingProtocols, headers: HTTPFields(fields, splitCookie: false))
        // The request lasts as long as the connection.
        response.body = ResponseBody { writer in
            try await channel.closeFuture.get()
            try await writer.finish(nil)
        }
        return response
    }

    private static let limits = ConnectionLimits(
        headerFieldBytesMax: 8192, headerListBytesMax: 16384, headerFieldsMax: 64, requestBytesMax: 0,
        discardedBytesMax: 0, pipelinedRequestsMax: 1, unsentBytesMax: 128 * 1024, firstHeader: .seconds(30),
        body: .seconds(30), response: .seconds(600), idle: .seconds(600), connectionsMax: 64,
        connectionsPerPeerMax: 64)
}
