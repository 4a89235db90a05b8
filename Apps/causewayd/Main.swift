import ArgumentParser
import CausewayAdapters
import CausewayConfiguration
import CausewayControlAPI
import CausewayDaemon
import CausewayDiagnostics
import CausewaySystem
import Foundation
import Logging

@main
struct CausewayDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causewayd",
        abstract: "Delivers the outbox of a message store, and serves the causeway command over a Unix socket.",
        discussion: """
            The daemon resumes the session of its store; log in and out with `causeway login` and `causeway \
            logout`. SIGTERM or SIGINT stops it: pending requests are answered, and undelivered messages stay \
            in the store. --restart decides what the next start does with them: `resume` (the default) delivers them \
            in their order, exactly once; `fail` marks them as failed, as the SDKs do, and logs each.

            Every option can also be set in the environment (CAUSEWAY_STORE for --store, and so on) and in the \
            configuration file, as a JSON object ({"retryInterval": "5s"}). Options override the environment, \
            which overrides the file. `causeway config` shows the effective settings and their sources.

            Under systemd (Type=notify) it reports READY, STOPPING and the watchdog's keep-alive. It logs to \
            standard error. SIGHUP is logged and otherwise ignored.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: ProgramVersion.text)

    @OptionGroup var options: SettingsOptions

    static func main() async {
        StandardStreams.prepare()
        await main(nil)
    }

    func run() async throws {
        do {
            let settings = try options.resolved()
            LoggingSystem.bootstrap { _ in LineLogHandler(format: settings.logFormat, level: settings.logLevel) }
            let daemon = Daemon(
                settings: settings, adapters: .system, environment: ProcessInfo.processInfo.environment,
                logger: Logger(label: "causewayd"))
            try await daemon.run()
        } catch let error as ControlError {
            try? OutputHandle.standardError.write("causewayd: \(VisibleText.oneLine(error.detail))\n")
            throw ExitCode(error.code.exitStatus.rawValue)
        }
    }
}
