import ArgumentParser
import CausewayDiagnostics
import CausewayHub
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
        name: .long, help: "HOST:PORT; the system chooses for port 0. Default: \(HubSettings.defaults.listen ?? "").")
    var listen: String?

    @Option(name: .long, help: "text or json. Default: text.")
    var logFormat: LogFormat?

    @Option(name: .long, help: "trace, debug, info, notice, warning, error or critical. Default: info.")
    var logLevel: String?

    @Flag(name: .long, help: "Plain HTTP instead of TLS; on a loopback address only.")
    var plain = false

    func run() async throws {
        SystemMemory.boundFree()
        try await failing {
            let folder = data.folder
            let settings = try HubSettings(listen: listen, logFormat: logFormat, logLevel: logLevel)
                .or(HubSettings(environment: ProcessInfo.processInfo.environment))
                .or(HubSettings(file: folder.settings))
                .or(.defaults)
            try await serve(folder, settings)
        }
    }

    private func serve(_ folder: DataFolder, _ settings: HubSettings) async throws {
        let name = settings.logLevel ?? "info"
        guard let level = Logger.Level(rawValue: name) else {
            throw HubError.configuration("unknown log level “\(name.prefix(32))”")
        }
        let format = settings.logFormat ?? .text
        let logger = Logger(label: "hub") { LineLogHandler(format: format, level: level, label: $0) }
        let (host, port) = try HubSettings.address(settings.listen ?? "")
        let configuration =
            plain
            ? HubConfiguration(folder: folder, host: host, port: port, security: .plainOnLoopback)
            : HubConfiguration.secure(folder, host: host, port: port)
        let hub = try HubService(configuration, logger: logger)
        var group = ServiceGroupConfiguration(
            services: [hub], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(HubLimits.shutdownSecondsMax)
        try await ServiceGroup(configuration: group).run()
        logger.info("stopped")
    }
}

extension LogFormat: ExpressibleByArgument {}
