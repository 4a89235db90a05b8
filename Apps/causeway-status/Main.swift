import ArgumentParser
import CausewayConfiguration
import CausewayControlAPI
import CausewayDiagnostics
import CausewayStatusPage
import CausewaySystem
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

@main
struct CausewayStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-status",
        abstract: "Shows a daemon's outbox in a browser: waiting, failed and deleted messages, with the reasons.",
        discussion: """
            By default it listens on 127.0.0.1:8585, is open to every user of this machine, and is read-only. With \
            --token-file it requires a login with that token, which allows resending and deleting. Another address \
            needs a token, TLS (--certificate, --key) and the name that browsers use (--origin). The token comes \
            from a file or from CAUSEWAY_STATUS_TOKEN, never from the command line.

            It connects only to the daemon's control socket. It starts without a daemon and reconnects when one \
            is back. Message texts are hidden unless --show-bodies is given.

            Options override the environment (CAUSEWAY_STATUS_LISTEN for --listen, and so on), which overrides \
            $XDG_CONFIG_HOME/causeway/status.json or --config. The socket, the store and the log are configured as \
            for the daemon. It logs “listening” with the address when it is ready for connections.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: ProgramVersion.text)

    @Option(help: ArgumentHelp("Read the page's settings from this JSON file.", valueName: "file"))
    var config: String?
    @Option(help: ArgumentHelp(StatusPageKey.listen.help)) var listen: String?
    @Option(help: ArgumentHelp(StatusPageKey.origins.help)) var origin: [String] = []
    @Option(help: ArgumentHelp(StatusPageKey.tokenFile.help, valueName: "file")) var tokenFile: String?
    @Option(help: ArgumentHelp(StatusPageKey.certificate.help, valueName: "file")) var certificate: String?
    @Option(help: ArgumentHelp(StatusPageKey.key.help, valueName: "file")) var key: String?
    @Flag(help: ArgumentHelp(StatusPageKey.showBodies.help)) var showBodies = false
    @Flag(help: ArgumentHelp(StatusPageKey.allowChanges.help)) var allowChanges = false

    @Option(help: ArgumentHelp(SettingKey.store.help)) var store: String?
    @Option(help: ArgumentHelp(SettingKey.socket.help)) var socket: String?
    @Option(help: ArgumentHelp(SettingKey.logLevel.help)) var logLevel: String?
    @Option(help: ArgumentHelp(SettingKey.logFormat.help)) var logFormat: String?

    static func main() async {
        StandardStreams.prepare()
        await main(nil)
    }

    func run() async throws {
        do {
            let environment = ProcessInfo.processInfo.environment
            let said: [SettingKey: String?] = [
                .store: store, .socket: socket, .logLevel: logLevel, .logFormat: logFormat,
            ]
            let settings = try Settings.resolve(flags: said.compactMapValues { $0 }, environment: environment)
            let page = try StatusPageSettings(flags: flags, environment: environment, file: config)
                .configuration(socket: settings.socket)
            LoggingSystem.bootstrap { _ in LineLogHandler(format: settings.logFormat, level: settings.logLevel) }
            try await serve(page, at: settings.socket)
        } catch let error as ControlError {
            try? OutputHandle.standardError.write("causeway-status: \(VisibleText.oneLine(error.detail))\n")
            throw ExitCode(error.code.exitStatus.rawValue)
        }
    }

    private var flags: [StatusPageKey: String] {
        let said: [StatusPageKey: String?] = [
            .listen: listen, .origins: origin.isEmpty ? nil : origin.joined(separator: ","), .tokenFile: tokenFile,
            .certificate: certificate, .key: key, .showBodies: showBodies ? "true" : nil,
            .allowChanges: allowChanges ? "true" : nil,
        ]
        return said.compactMapValues { $0 }
    }

    private func serve(_ configuration: StatusPageConfiguration, at socket: String) async throws {
        let logger = Logger(label: "causeway-status")
        let (daemon, close) = try DaemonClient.socket(socket)
        let page = try StatusPageService(configuration, daemon: daemon, logger: logger)
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        var group = ServiceGroupConfiguration(
            services: [page], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        group.maximumGracefulShutdownDuration = .seconds(StatusPageLimits.shutdownSecondsMax)
        do {
            try await ServiceGroup(configuration: group).run()
        } catch is CancellationError {
            logger.warning("requests cut off at shutdown")
        }
        await close()
        logger.notice("stopped")
    }
}
