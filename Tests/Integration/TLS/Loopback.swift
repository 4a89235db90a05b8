import CausewayTLS
import NIOCore
import NIOPosix

/// Connections over 127.0.0.1 with our handler on this side.
enum Loopback {
    static let group = MultiThreadedEventLoopGroup.singleton

    struct Connection: Sendable {
        let channel: any Channel
        let log: Watched<ConnectionLog>

        func send(_ text: String) async throws {
            try await channel.writeAndFlush(ByteBuffer(string: text))
        }

        func close() async throws {
            try await channel.close()
        }
    }

    /// - Parameter early: written before the handshake can have begun.
    static func connect(
        _ context: TLSClientContext, port: Int, serverName: String = "localhost", early: String? = nil,
        halfClosure: Bool = false
    ) async throws -> Connection {
        let log = Watched(ConnectionLog())
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.allowRemoteHalfClosure, value: halfClosure)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try context.makeHandler(serverName: serverName)
                    try channel.pipeline.syncOperations.addHandlers([handler, Recorder(log)])
                    if let early { channel.writeAndFlush(ByteBuffer(string: early), promise: nil) }
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return Connection(channel: channel, log: log)
    }

    struct Server: Sendable {
        let channel: any Channel
        let port: Int
        /// One for each connection, in the order of acceptance.
        let connections: Watched<[Connection]>

        func connection(_ index: Int = 0) async -> Connection {
            await connections.wait { $0.count > index }[index]
        }

        func close() async throws {
            try await channel.close()
        }
    }

    /// - Parameter context: nil for a server of plain text.
    static func listen(
        _ context: TLSServerContext?, answer: Recorder.Answer = .none, halfClosure: Bool = false
    ) async throws -> Server {
        let connections = Watched<[Connection]>([])
        let channel = try await ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: halfClosure)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let log = Watched(ConnectionLog())
                    if let context { try channel.pipeline.syncOperations.addHandler(context.makeHandler()) }
                    try channel.pipeline.syncOperations.addHandler(Recorder(log, answer: answer))
                    connections.update { $0.append(Connection(channel: channel, log: log)) }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return Server(channel: channel, port: channel.localAddress?.port ?? 0, connections: connections)
    }
}
