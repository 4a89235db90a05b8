import ArgumentParser
import CausewayConfiguration
import CausewayControlAPI
import CausewayDiagnostics
import CausewayHub
import CausewayHubSQLite
import CausewaySystem
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a hub over TLS until SIGTERM or SIGINT.",
        discussion: "Logs “listening” with the address to standard error when it is ready for connections.")

    @OptionGroup var data: DataOption

    @Option(
        name: .long, help: "HOST:PORT; the system chooses for port 0. Default: \(HubSettings().listen).")
    var listen: String?

    @Option(name: .long, help: "text or json. Default: text.")
    var logFormat: LogFormat?

    @Option(name: .long, help: "trace, debug, info, notice, warning, error or critical. Default: info.")
    var logLevel: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Open connections in all. Default: \(HubLimits.connectionsMax). Half of them may be sockets, half may wait \
            for events.
            """,
            valueName: "number"))
    var connections: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Those of one address, as of a reverse proxy. Default: \(HubLimits.connectionsPerPeerMax).",
            valueName: "number"))
    var connectionsPerAddress: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Those of one account. Default: \(HubLimits.connectionsPerAccountMax). A quarter of them may be sockets, a \
            quarter may wait for events.
            """,
            valueName: "number"))
    var connectionsPerAccount: String?

    @Flag(name: .long, help: "Plain HTTP instead of TLS; on a loopback address only.")
    var plain = false

    func run() async throws {
        SystemMemory.boundFree()
        try await failing {
            let folder = data.folder
            try await serve(folder, try settings(of: folder))
        }
    }

    private func settings(of folder: DataFolder) throws -> HubSettings {
        let given: [HubSettingKey: String?] = [
            .listen: listen, .logFormat: logFormat?.rawValue, .logLevel: logLevel,
            .connections: connections, .connectionsPerAddress: connectionsPerAddress,
            .connectionsPerAccount: connectionsPerAccount,
        ]
        do throws(ControlError) {
            return try HubSettings(
                flags: given.compactMapValues { $0 }, environment: ProcessInfo.processInfo.environment,
                file: folder.settings)
        } catch {
            throw HubError.configuration(error.detail)
        }
    }

    private func serve(_ folder: DataFolder, _ settings: HubSettings) async throws {
        let logger = Logger(label: "hub") {
            LineLogHandler(format: settings.logFormat, level: settings.logLevel, label: $0)
        }
        let (host, port) = try HubConfiguration.address(settings.listen)
        var configuration =
            plain
            ? HubConfiguration(folder: folder, host: host, port: port, security: .plainOnLoopback)
            : HubConfiguration.secure(folder, host: host, port: port)
        configuration.setConnections(
            settings.connections, perAddress: settings.connectionsPerAddress,
            perAccount: settings.connectionsPerAccount)
        let hub = try await HubService(configuration, opening: SQLiteHubStorage.open, logger: logger)
        var group = ServiceGroupConfiguration(
            services: [hub], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(HubLimits.shutdownSecondsMax)
        try await ServiceGroup(configuration: group).run()
        logger.info("stopped")
    }
}

extension LogFormat: ExpressibleByArgument {}
