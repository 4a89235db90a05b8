package import CausewayControlAPI
import CausewayHTTPServer
package import CausewayModels
import CausewayTLS
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The status page: its server, and the one connection over which it follows the daemon.
///
/// It starts without a daemon, and recovers by itself when the daemon stops and returns.
package final class StatusPageService: Service {
    private let configuration: StatusPageConfiguration
    private let router: PageRouter
    private let watch: DaemonWatch
    private let tls: TLSServerContext?
    private let logger: Logger
    private let readiness = Readiness<ControlError>()
    /// Set once the port is known.
    private let sites = Mutex<AllowedHosts?>(nil)

    /// - Parameter clock: the clock for logins and for the limit on wrong tokens.
    ///
    /// Throws ``ControlError/Code/configuration`` for a configuration that ``StatusPageConfiguration/check()`` refuses,
    /// and for a certificate that cannot be used.
    package init(
        _ configuration: StatusPageConfiguration, daemon: DaemonClient, logger: Logger,
        clock: @escaping @Sendable () -> MonotonicTime = SystemClock.monotonic
    ) throws(ControlError) {
        try configuration.check()
        self.configuration = configuration
        self.logger = logger
        do throws(TLSError) {
            tls = try configuration.identity.map { identity throws(TLSError) in
                try TLSServerContext(
                    TLSServerConfiguration(
                        certificateChainPath: identity.certificateChainPath,
                        privateKeyPath: identity.privateKeyPath, applicationProtocols: ["http/1.1"]))
            }
        } catch {
            throw ControlError(.configuration, "\(error)")
        }
        watch = DaemonWatch(daemon.reading, logger: logger)
        router = PageRouter(
            daemon: daemon, watch: watch,
            sessions: SessionStore(
                needsLogin: configuration.token != nil, allowsChanges: configuration.allowsChanges),
            login: LoginThrottle(configuration.token), notices: FlashMessages(),
            renderer: PageRenderer(socket: configuration.socket), showsBodies: configuration.showsBodies,
            logger: logger, clock: clock)
    }

    /// Serves until cancelled or shut down.
    ///
    /// Throws ``ControlError/Code/socketNotAccessible`` when it cannot listen.
    package func run() async throws {
        let tls = tls
        let limits = configuration.connections
        let application = Application(
            router: router.build { [self] in sites.withLock { $0 } },
            server: HTTPServerBuilder { responder in
                LimitedServerChannel(responder: responder, tls: tls, limits: limits, refusal: .statusPage)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port),
                backlog: StatusPageLimits.connectionBacklogMax,
                availableConnectionsDelegate: .maximum(limits.connectionsMax, logger: quiet)),
            services: [watch],
            onServerRunning: { [self] channel in
                let port = channel.localAddress?.port ?? 0
                sites.withLock { $0 = AllowedHosts(configuration, port: port) }
                logger.notice("listening", metadata: ["address": "\(address(port: port))"])
                if configuration.token == nil {
                    logger.notice(
                        configuration.allowsChanges
                            ? "no token: every local user may see the page, resend and delete"
                            : "no token: every local user may see the page, read-only")
                }
                readiness.open(port: port)
            },
            logger: quiet)
        do {
            try await application.run()
            readiness.close(ControlError(.stopping, "the status page was stopped"))
        } catch let error as IOError {
            let problem = ControlError(
                .socketNotAccessible, "cannot listen on \(configuration.listen): \(error.localizedDescription)")
            readiness.close(problem)
            throw problem
        } catch {
            readiness.close(ControlError(.socketNotAccessible, "\(error)"))
            throw error
        }
    }

    /// The address for users and tests, such as `http://127.0.0.1:8585`; waits until the page listens.
    package func address() async throws(ControlError) -> String { address(port: try await readiness.port()) }

    private func address(port: Int) -> String {
        WebOrigin(isSecure: tls != nil, host: configuration.listen.host, port: port).description
    }

    /// A logger for the server framework that reports problems only.
    private var quiet: Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}
