import ArgumentParser
import CausewayControl
import CausewaySystem

@main
struct CausewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway",
        abstract: "Sends messages that survive outages, and shows where each of them is.",
        discussion: """
            A message is on the disk before `send` returns, and travels when the network allows, exactly once and in \
            order. With a daemon (causewayd) the commands talk to it over its socket. Without one each command opens \
            the store itself, does its work and closes it again; what is undelivered then stays in the queue, in its \
            old order (the restart policy is always `resume` for a command: `fail` belongs to programs that stay).

            Every command takes --json and prints one JSON document (docs in `causeway help messages`). Problems go \
            to standard error; with --json as {"error":{"code":…,"detail":…}}, wrong usage too, and what is said \
            beside the answer as {"note":…}. --json and the settings may also stand before the command.

            Settings count in this order: options, environment (CAUSEWAY_STORE for --store, and so on), configuration \
            file ($XDG_CONFIG_HOME/causeway/config.json or --config), defaults. `causeway config` shows them all.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: ProgramVersion.text,
        groupedSubcommands: [
            CommandGroup(name: "Session", subcommands: [Login.self, Logout.self, Status.self]),
            CommandGroup(
                name: "Messages",
                subcommands: [Send.self, Edit.self, React.self, Messages.self, ShowMessage.self]),
            CommandGroup(
                name: "Outbox",
                subcommands: [
                    Outbox.self, Failed.self, Resend.self, Delete.self, DeleteFailed.self, DeleteActions.self,
                ]),
            CommandGroup(name: "Operation", subcommands: [Pause.self, Resume.self, Probe.self, Config.self]),
        ])

    private static let order = ArgumentOrder(
        flags: ["--json"], options: ["--config"] + SettingKey.allCases.map(\.flag))

    static func main() async {
        StandardStreams.prepare()
        let arguments = order.arranged(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let isWrongUsage = !(error is ExitCode) && exitCode(for: error) == .validationFailure
            guard isWrongUsage, arguments.prefix(while: { $0 != "--" }).contains("--json") else {
                exit(withError: error)
            }
            Console(json: true).report(ControlError(.usage, message(for: error)))
            exit(withError: ExitCode(ControlError.Code.usage.exitStatus.rawValue))
        }
    }
}
