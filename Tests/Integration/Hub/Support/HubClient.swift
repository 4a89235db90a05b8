import CausewayHub
import CausewayModels
import CausewayWire
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A plain HTTP/1.1 client over a real socket: returns the hub's actual response, byte for byte.
struct HubClient: Sendable {
    let port: Int
    var token: String?

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(body))
        }

        /// The code of an error, which every response that is not 2xx carries with the protocol's header.
        var errorCode: String? {
            guard headers.first(name: WireProtocol.header) == WireProtocol.version else { return nil }
            return try? decoded(WireError.self).code
        }
    }

    /// The connection ended before the response did.
    struct Cut: Error {}

    /// One connection that is used for many requests, one after the other.
    struct Connection {
        fileprivate var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
        fileprivate let token: String?

        mutating func send(
            _ method: HTTPMethod, _ path: String, _ body: [UInt8] = [], headers extra: HTTPHeaders = [:]
        ) async throws -> Answer {
            try await outbound.write(contentsOf: HubClient.request(method, path, body, headers: extra, token: token))
            return try await answer()
        }

        /// Returns when the hub has closed the connection.
        mutating func closes() async {
            while (try? await inbound.next(isolation: #isolation)) != nil {}
        }

        fileprivate mutating func answer() async throws -> Answer {
            var head: HTTPResponseHead?
            var body: [UInt8] = []
            while let part = try await inbound.next(isolation: #isolation) {
                switch part {
                case .head(let response): head = response
                case .body(let bytes): body += Array(bytes.readableBytesView)
                case .end:
                    guard let head else { throw Cut() }
                    return Answer(status: Int(head.status.code), headers: head.headers, body: body)
                }
            }
            throw Cut()
        }
    }

    private static func request(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8], headers extra: HTTPHeaders, token: String?
    ) -> [HTTPClientRequestPart] {
        var headers = extra
        headers.replaceOrAdd(name: "Host", value: "127.0.0.1")
        if let token, !headers.contains(name: "Authorization") {
            headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        if !body.isEmpty {
            headers.add(name: "Content-Length", value: "\(body.count)")
            if !headers.contains(name: "Content-Type") {
                headers.add(name: "Content-Type", value: "application/json")
            }
        }
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        return [.head(head)] + (body.isEmpty ? [] : [.body(.byteBuffer(ByteBuffer(bytes: body)))]) + [.end(nil)]
    }

    /// - Parameter first: a request that is sent by the event loop as soon as the connection is open: a hub with its
    ///   own limits of time would not wait until a busy machine continues this task.
    func connected<Value: Sendable>(
        sending first: [HTTPClientRequestPart] = [], _ body: (inout Connection) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(FirstRequest(first))
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = Connection(inbound: inbound.makeAsyncIterator(), outbound: outbound, token: token)
            return try await body(&connection)
        }
    }

    /// Sends one request over a connection of its own.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8] = [], headers: HTTPHeaders = [:]
    ) async throws -> Answer {
        let request = Self.request(method, path, body, headers: headers, token: token)
        return try await connected(sending: request) { try await $0.answer() }
    }

    func get(_ path: String) async throws -> Answer { try await send(.GET, path) }

    func post(_ text: String, headers: HTTPHeaders = [:]) async throws -> Answer {
        try await send(.POST, WireProtocol.deliveriesPath, Array(text.utf8), headers: headers)
    }

    func deliver(_ delivery: WireDelivery) async throws -> Answer {
        try await send(.POST, WireProtocol.deliveriesPath, Self.coded(delivery))
    }

    static func coded(_ delivery: WireDelivery) throws -> [UInt8] { Array(try JSONEncoder().encode(delivery)) }

    /// Returns the report of a delivery that the hub accepts.
    func report(_ delivery: WireDelivery) async throws -> WireReport {
        let answer = try await deliver(delivery)
        guard answer.status == 200 else { throw Unexpected(status: answer.status, text: answer.text) }
        return try answer.decoded(WireReport.self)
    }

    struct Unexpected: Error, CustomStringConvertible {
        let status: Int
        let text: String
        var description: String { "unexpected \(status): \(text.prefix(500))" }
    }

    /// Reads a whole channel in pages from its start.
    func messages(in channel: String = "general", pageSize: Int = 1000) async throws -> [WireMessage] {
        var all: [WireMessage] = []
        while true {
            let after = all.last?.position ?? 0
            let answer = try await get(WireProtocol.messagesPath(channel) + "?limit=\(pageSize)&after=\(after)")
            guard answer.status == 200 else { throw Unexpected(status: answer.status, text: answer.text) }
            let page = try answer.decoded(WirePage.self)
            all += page.messages
            if !page.hasMore { return all }
        }
    }

    /// Sends bytes unchanged, and returns everything received until the hub closes the connection.
    func raw(_ bytes: [UInt8]) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var answer = ""
            do {
                try await outbound.write(ByteBuffer(bytes: bytes))
                for try await part in inbound { answer += String(buffer: part) }
            } catch is IOError {
                // A reset ends it as well; the bytes before it count.
            } catch is ChannelError {
                // Closed before everything was sent.
            }
            return answer
        }
    }
}

/// Sends a request as soon as the connection is open. Used on its channel's event loop.
private final class FirstRequest: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let parts: [HTTPClientRequestPart]

    init(_ parts: [HTTPClientRequestPart]) { self.parts = parts }

    func channelActive(context: ChannelHandlerContext) {
        for part in parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        context.fireChannelActive()
    }
}

extension WireReport {
    var kinds: [WireResult.Kind] { results.map(\.kind) }
    var codes: [String?] { results.map(\.code) }
    var positions: [Int64?] { results.map(\.position) }
}
