import CausewaySystem
import CausewayTLS
import NIOCore
import NIOHTTP1
import NIOPosix

/// The settings of a client's connections, shared by all of them.
struct ConnectionSettings: Sendable {
    let endpoint: HTTPEndpoint
    /// The trust of a TLS endpoint.
    let tls: TLSClientContext?
    let proxy: HTTPProxy?
    let timeouts: HTTPTimeouts
    let limits: HTTPLimits

    /// Whether requests are addressed to a proxy (absolute form) and not to the server.
    var isForProxyToRead: Bool { proxy != nil && !endpoint.isTLS }
}

/// One attempt to open a connection, until it can carry a request: name lookup, TCP (both address families, the faster
/// wins), proxy, TLS. Bounded by the connect time-out as a whole. Used only on its event loop.
final class ConnectAttempt {
    typealias Outcome = Result<HTTPConnection, HTTPClientError>

    private let id: ConnectionPoolState.ConnectionID
    private let settings: ConnectionSettings
    private let loop: any EventLoop
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    /// Called once, with the outcome; `nil` afterwards.
    private var completion: ((Outcome) -> Void)?

    init(
        id: ConnectionPoolState.ConnectionID, settings: ConnectionSettings, loop: any EventLoop,
        completion: @escaping (Outcome) -> Void
    ) {
        self.id = id
        self.settings = settings
        self.loop = loop
        self.completion = completion
    }

    func start() {
        let timeout = TimeAmount(settings.timeouts.connect)
        timer = loop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.cancel(.timeout(.connect, requestSent: false))
        }
        // Nothing is read before the handlers for it are in place.
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(timeout).channelOption(.autoRead, value: false)
        let hop = nextHop
        let connected: EventLoopFuture<any Channel>
        switch hop {
        case .unix(let path):
            connected = bootstrap.connect(unixDomainSocketPath: path)
        case .tcp(let host, let port, _):
            connected = limitingUnsent(bootstrap).channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: host, port: port)
        }
        connected.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): self.connected(channel)
            case .failure(let error): self.settle(.failure(Self.explain(error, hop)))
            }
        }
    }

    /// Cancels the attempt with this reason.
    func cancel(_ reason: HTTPClientError) {
        settle(.failure(reason))
    }

    private func limitingUnsent(_ bootstrap: ClientBootstrap) -> ClientBootstrap {
        guard let option = SocketOptionNumber.unsentBytes else { return bootstrap }
        return bootstrap.channelOption(
            .tcpOption(NIOBSDSocket.Option(rawValue: option)),
            value: SocketOptionValue(settings.limits.unsentBytesMax))
    }

    private var nextHop: HTTPEndpoint.Address {
        if let proxy = settings.proxy, case .tcp = settings.endpoint.address {
            return .tcp(host: proxy.host, port: proxy.port, tls: false)
        }
        return settings.endpoint.address
    }

    private static func explain(_ error: any Error, _ hop: HTTPEndpoint.Address) -> HTTPClientError {
        switch hop {
        case .unix(let path):
            HTTPClientError(connecting: error, to: path, host: path)
        case .tcp(let host, let port, _):
            HTTPClientError(connecting: error, to: "\(HTTPSyntax.bracketed(host)):\(port)", host: host)
        }
    }

    private func connected(_ channel: any Channel) {
        // The channel may arrive after the attempt was cancelled.
        guard completion != nil else { return channel.close(promise: nil) }
        self.channel = channel
        if settings.endpoint.isTLS, let proxy = settings.proxy {
            openTunnel(channel, proxy)
        } else {
            carryRequests(channel)
        }
    }

    private func openTunnel(_ channel: any Channel, _ proxy: HTTPProxy) {
        guard case .tcp(let host, let port, _) = settings.endpoint.address else { return }
        let established = loop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ResponseDecoder(limits: settings.limits)
        let decoding = ByteToMessageHandler(decoder)
        let tunnel = ProxyTunnel(
            target: "\(HTTPSyntax.bracketed(host)):\(port)", proxy: proxy, established: established)
        established.futureResult.assumeIsolated().whenComplete { result in
            if case .failure(let error) = result {
                return self.settle(.failure(HTTPClientError(connecting: error, to: proxy.description, host: host)))
            }
            let pipeline = channel.pipeline.syncOperations
            let removed = [
                pipeline.removeHandler(tunnel), pipeline.removeHandler(decoding), pipeline.removeHandler(encoder),
            ]
            EventLoopFuture.andAllSucceed(removed, on: self.loop).assumeIsolated().whenComplete { _ in
                if self.completion != nil { self.carryRequests(channel) }
            }
        }
        do {
            try channel.pipeline.syncOperations.addHandlers([encoder, decoding, tunnel])
            try startReading(channel)
            tunnel.ask(on: channel)
        } catch {
            settle(.failure(HTTPClientError(connecting: error, to: proxy.description, host: host)))
        }
    }

    private func carryRequests(_ channel: any Channel) {
        let ready = loop.makePromise(of: Void.self)
        let decoder = ResponseDecoder(limits: settings.limits)
        let connection = HTTPConnection(
            id: id, channel: channel, decoder: decoder, limits: settings.limits, timeouts: settings.timeouts,
            ready: ready)
        ready.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.settle(.success(connection))
            case .failure(let error): self.settle(.failure(Self.explain(error, self.nextHop)))
            }
        }
        do {
            let security = try securityHandler()
            let codecs: [any ChannelHandler] = [HTTPRequestEncoder(), ByteToMessageHandler(decoder), connection]
            // From the top down: the first handler sends as soon as it is in place.
            try channel.pipeline.syncOperations.addHandlers(codecs)
            if let security {
                try channel.pipeline.syncOperations.addHandler(security, position: .first)
            }
            try startReading(channel)
            if security == nil { connection.becomeReady() }
        } catch {
            connection.abort(Self.explain(error, nextHop))
        }
    }

    /// `nil` only if the endpoint is not TLS: a missing context never results in plain text.
    private func securityHandler() throws -> TLSHandler? {
        guard case .tcp(let host, _, true) = settings.endpoint.address else { return nil }
        guard let tls = settings.tls else { throw TLSError.configuration("no authorities are configured for \(host)") }
        return try tls.makeHandler(serverName: host)
    }

    private func startReading(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    private func settle(_ outcome: Outcome) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        if case .failure = outcome { channel?.close(promise: nil) }
        channel = nil
        completion(outcome)
    }
}
