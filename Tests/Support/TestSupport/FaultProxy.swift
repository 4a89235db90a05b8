import CausewayModels
import NIOCore
import NIOPosix
import Synchronization

/// A TCP proxy on a loopback socket that injects network faults. It does not interpret the data, so it works for TLS as
/// well.
///
/// Each connection begins with the fault that the plan has for its number; ``use(_:)`` changes the fault of all open
/// and future connections.
package final class FaultProxy: Sendable {
    package enum Way: Sendable, Hashable, CaseIterable { case toServer, toClient }

    package enum Fault: Sendable, Hashable {
        /// Carries everything.
        case none
        /// Ends the connection with RST as soon as it is made.
        case refuse
        /// Ends both sides with RST after this many bytes in that direction, from now on.
        case reset(Way, afterBytes: Int)
        /// Ends both sides with FIN after this many bytes in that direction, from now on.
        case finish(Way, afterBytes: Int)
        /// Accepts everything and carries nothing, and keeps the connection.
        case blackHole
        /// Carries the client's bytes and none of the server's, and keeps the connection.
        case mute
        /// Carries this many bytes at a time and pauses between.
        case slow(bytes: Int, pause: Duration)
        /// Carries every byte in a segment of its own.
        case slices
        /// Carries the request, waits for the first bytes of the server's response, drops them and ends the client's
        /// side with RST. With TLS the first bytes are the handshake's: use it on an open connection.
        case lostResponse
    }

    /// The fault that a connection begins with; the first one has the number 1.
    package typealias Plan = @Sendable (_ connection: Int) -> Fault

    private struct State {
        var plan: Plan
        var links: [NIOLoopBoundBox<FaultyLink>] = []
        var accepted = 0
    }

    private let state: Mutex<State>
    private let target: Int

    private init(to target: Int, plan: @escaping Plan) {
        self.target = target
        state = Mutex(State(plan: plan))
    }

    /// Runs a proxy to a port of this machine for as long as `body` runs.
    ///
    /// - Parameter body: receives the proxy and its port.
    package static func run<Result: Sendable>(
        to target: Int, plan: @escaping Plan = { _ in .none },
        body: (_ proxy: FaultProxy, _ port: Int) async throws -> Result
    ) async throws -> Result {
        let proxy = FaultProxy(to: target, plan: plan)
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try proxy.accept(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(proxy, listening.localAddress?.port ?? 0)
            await proxy.end(listening)
            return result
        } catch {
            await proxy.end(listening)
            throw error
        }
    }

    /// Faults drawn from a seed: the same ones for the same seed and connection number. About half the connections have
    /// none.
    package static func seeded(_ seed: UInt64, bytesMax: Int = 2000) -> Plan {
        { connection in
            var generator = SplitMix64(seed: seed ^ UInt64(connection) &* 0xD1B5_4A32_D192_ED03)
            let way: Way = Bool.random(using: &generator) ? .toServer : .toClient
            let bytes = Int.random(in: 0...bytesMax, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: return .refuse
            case 1: return .reset(way, afterBytes: bytes)
            case 2: return .finish(way, afterBytes: bytes)
            case 3: return .slices
            case 4: return .slow(bytes: max(1, bytes / 10), pause: .milliseconds(1))
            default: return .none
            }
        }
    }

    /// The number of accepted connections.
    package var connectionCount: Int { state.withLock { $0.accepted } }

    /// Applies this fault to every open connection and every later one; in force on return.
    package func use(_ fault: Fault) async throws {
        let links = state.withLock { state in
            state.plan = { _ in fault }
            return state.links
        }
        for link in links { try await link.eventLoop.submit { link.value.use(fault) }.get() }
    }

    /// Ends every open connection with RST; they are closed on return.
    package func cutAll() async throws {
        for link in state.withLock({ $0.links }) { try await link.eventLoop.submit { link.value.reset() }.get() }
    }

    // MARK: - On the event loops

    private func accept(_ channel: any NIOCore.Channel) throws {
        let fault = state.withLock { state in
            state.accepted += 1
            return state.plan(state.accepted)
        }
        let client = Breaker()
        try channel.pipeline.syncOperations.addHandler(client)
        let link = FaultyLink(fault: fault, client: channel, clientBreaker: client)
        try channel.pipeline.syncOperations.addHandler(FaultyPump(link, .toServer))
        let box = NIOLoopBoundBox(link, eventLoop: channel.eventLoop)
        state.withLock { $0.links.append(box) }
        ClientBootstrap(group: channel.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    let breaker = Breaker()
                    try server.pipeline.syncOperations.addHandlers([breaker, FaultyPump(box.value, .toClient)])
                    box.value.connected(server, breaker)
                }
            }
            .connect(host: "127.0.0.1", port: target)
            .whenFailure { _ in box.value.reset() }
    }

    private func end(_ listening: any NIOCore.Channel) async {
        try? await listening.close()
        try? await cutAll()
    }
}
