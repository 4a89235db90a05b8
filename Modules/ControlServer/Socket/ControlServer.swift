package import CausewayControlAPI
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Serves a ``ControlService`` over a Unix socket as HTTP and JSON.
///
/// The socket and its folder are accessible to their owner only; see ``ControlSocketPath``. Every response is JSON;
/// every error is `{"error":{"code":…,"detail":…}}`. Shuts down gracefully with its service group: no request is cut
/// off, waits end early.
package struct ControlServer: Service {
    private let service: any ControlService
    private let place: ControlSocketPath
    private let logger: Logger
    private let requestTime: Duration
    private let settings: SettingsResponse?
    private let onReady: @Sendable () async -> Void

    /// - Parameters:
    ///   - socketPath: absolute; at most 103 bytes.
    ///   - settings: the settings of the process, for `GET /v1/config`.
    ///   - requestTime: the time from a connection's opening, or its last response, until the next request has arrived
    ///   in full.
    ///   - onReady: called once when the socket accepts connections.
    package init(
        service: any ControlService, socketPath: String, logger: Logger, settings: SettingsResponse? = nil,
        requestTime: Duration = .seconds(ControlServerLimits.requestSecondsMax),
        onReady: @escaping @Sendable () async -> Void = {}
    ) {
        self.service = service
        place = ControlSocketPath(path: socketPath)
        self.logger = logger
        self.requestTime = requestTime
        self.settings = settings
        self.onReady = onReady
    }

    /// Serves until the service group shuts down.
    ///
    /// Throws ``ControlError`` with ``ControlError/Code/socketInUse`` when another process serves the socket, and
    /// ``ControlError/Code/socketNotAccessible`` or ``ControlError/Code/configuration`` when it cannot be created
    /// there.
    package func run() async throws {
        let preparation = try place.prepare()
        defer { preparation.leave() }
        let time = TimeAmount(requestTime)
        let failure = Mutex<ControlError?>(nil)
        let app = Application(
            router: ControlRoutes(service: service, logger: logger, settings: settings).router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [RequestGuard(time: time)],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: ControlServerLimits.headerBytesMax,
                        maxHeaderListSize: ControlServerLimits.headerBytesMax,
                        maxHeaderFieldCount: ControlServerLimits.headerFieldsMax))),
            configuration: .init(
                address: .unixDomainSocket(path: preparation.bindPath),
                availableConnectionsDelegate: .maximum(ControlServerLimits.connectionsMax, logger: quiet)),
            onServerRunning: { channel in
                do throws(ControlError) {
                    try preparation.publish()
                    await onReady()
                } catch {
                    failure.withLock { $0 = error }
                    channel.close(promise: nil)
                }
            },
            logger: quiet)
        try await app.run()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// A logger for the server framework that reports problems only.
    private var quiet: Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}
