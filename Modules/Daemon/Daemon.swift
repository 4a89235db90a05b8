import Causeway
package import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewaySystem
package import Logging
import ServiceLifecycle
import UnixSignals

/// The daemon: owns a store, runs its engine, serves the control socket, and reports its state to the service manager.
package struct Daemon: Sendable {
    private let settings: Settings
    private let adapters: AdapterFactory
    private let logger: Logger
    private let notifier: SystemdNotifier

    /// - Parameter environment: the environment of the process; names the service manager's socket.
    package init(settings: Settings, adapters: AdapterFactory, environment: [String: String], logger: Logger) {
        self.settings = settings
        self.adapters = adapters
        self.logger = logger
        notifier = SystemdNotifier(environment: environment)
    }

    /// Runs until SIGTERM or SIGINT, then shuts down in bounded time: requests under way are answered, nothing new is
    /// sent, the store is closed.
    ///
    /// Throws ``ControlError`` when the store or the socket cannot be opened.
    package func run() async throws {
        let journal = DeliveryJournal(isDetailed: logger.logLevel <= .debug)
        let startedAt = SystemRuntime().wallClock
        let local = try await LocalClient.open(
            settings, isDaemon: true, storeWait: .seconds(DaemonLimits.storeWaitSecondsOfDaemon), adapters: adapters,
            onWait: { problem in
                let limit = DaemonLimits.storeWaitSecondsOfDaemon
                logger.warning("waiting for the store", metadata: ["detail": "\(problem)", "limitSeconds": "\(limit)"])
                notifier.notify("STATUS=waiting for the store: another process has it")
            }, onCommit: { journal.note($0) })
        logger.info(
            "store opened",
            metadata: ["store": "\(settings.store)", "restart": "\(settings.restart.rawValue)"])
        if let torn = local.tornTail {
            logger.warning(
                "unfinished write cut off", metadata: ["place": "\(torn.place)", "bytes": "\(torn.bytes)"])
        }
        do {
            let log = DeliveryLogService(
                journal: journal, service: local.service, logger: logger, startedAt: startedAt)
            try await serve(local.service, log, local.statusChanges)
        } catch {
            await local.close()
            throw error
        }
        await local.close()
        logger.info("stopped")
    }

    private func serve(
        _ service: ClientControlService, _ log: DeliveryLogService, _ changes: StatusChanges
    ) async throws {
        let server = ControlServer(
            service: service, socketPath: settings.socket, logger: logger, settings: SettingsResponse(settings)
        ) {
            logger.notice("ready", metadata: ["socket": "\(settings.socket)"])
            notifier.notify("READY=1\nSTATUS=serving \(settings.socket)")
        }
        var configuration = ServiceGroupConfiguration(
            services: [
                server, WatchdogService(notifier: notifier, service: service), SIGHUPService(logger: logger),
                StatusLogService(changes: changes, logger: logger), log,
                ShutdownService(notifier: notifier, logger: logger),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(DaemonLimits.shutdownSecondsMax - 5)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            logger.warning("requests cut off at shutdown")
        }
    }

    private var quiet: Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}

/// Reports the start of the shutdown, and enforces its deadline.
private struct ShutdownService: Service {
    let notifier: SystemdNotifier
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        logger.notice("stopping")
        notifier.notify("STOPPING=1")
        let logger = logger
        Task.detached {
            try? await Task.sleep(for: .seconds(DaemonLimits.shutdownSecondsMax))
            logger.critical("shutdown timed out", metadata: ["undelivered": "kept in the store"])
            ProcessEnd.byStatus(ExitStatus.temporary.rawValue)
        }
    }
}

/// Handles SIGHUP, which makes many daemons reload their settings; logs that this daemon does not.
private struct SIGHUPService: Service {
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            logger.notice("SIGHUP ignored", metadata: ["hint": "restart the daemon to change its settings"])
        }
    }
}
