import ArgumentParser
import CausewayAdapters
import CausewayControl
import CausewayDiagnostics
import CausewaySystem
import Foundation
import Logging

@main
struct CausewayDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causewayd",
        abstract: "Owns a message store, delivers its outbox, and serves the causeway command over a Unix socket.",
        discussion: """
            The daemon goes on with the session of its store; log in and out with `causeway login` and `causeway \
            logout`. It ends with SIGTERM or SIGINT: requests under way are answered, and what is undelivered stays \
            in the store. What the next start makes of it is --restart's to say: `resume` (the default) delivers it in \
            its old order, exactly once; `fail` marks it as failed, as the SDKs do, and logs each.

            Every option can also be set in the environment (CAUSEWAY_STORE for --store, and so on) and in the \
            configuration file, as a JSON object ({"retryInterval": "5s"}). An option counts before the environment, \
            the environment before the file. `causeway config` shows what is in force, and where it comes from.

            Under systemd it reports READY, STOPPING and the watchdog's sign of life (Type=notify). It logs to \
            standard error; SIGHUP is logged and changes nothing.

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
