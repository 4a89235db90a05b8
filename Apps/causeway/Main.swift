import ArgumentParser
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewaySystem

@main
struct CausewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway",
        abstract: "Sends messages that survive outages, and shows the delivery state of each.",
        discussion: """
            A message is on disk before `send` returns. It is delivered when the network allows, exactly once and in \
            order. If a daemon (causewayd) runs, the commands use it over its socket. Otherwise each command opens \
            the store itself and closes it at its end; undelivered messages stay in the queue, in their \
            order (a command always uses the restart policy `resume`; `fail` is for daemons).

            Every command accepts --json and prints one JSON document (see `causeway help messages`). Errors go \
            to standard error, with --json as {"error":{"code":…,"detail":…}}, including usage errors; notes \
            become {"note":…}. --json and the settings may also precede the command.

            Settings, in order of precedence: options, environment (CAUSEWAY_STORE for --store, and so on), \
            configuration file ($XDG_CONFIG_HOME/causeway/config.json or --config), defaults. `causeway config` \
            shows them all.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: ProgramVersion.text,
        groupedSubcommands: [
            CommandGroup(name: "Session", subcommands: [Login.self, Logout.self, Status.self]),
            CommandGroup(
                name: "Messages",
                subcommands: [Send.self, Edit.self, React.self, Messages.self, ShowMessage.self, Download.self]),
            CommandGroup(name: "Channels", subcommands: [ChannelCommand.self]),
            CommandGroup(
                name: "Outbox",
                subcommands: [
                    Outbox.self, Failed.self, Resend.self, Delete.self, DeleteFailed.self, DeleteActions.self,
                ]),
            CommandGroup(
                name: "Operation",
                subcommands: [Pause.self, Resume.self, Probe.self, Config.self, StoreCommand.self]),
        ])

    private static let order = ArgumentOrder(
        flags: ["--json"], options: ["--config"] + SettingKey.allCases.map(\.flag), groups: ["channel", "store"])

    static func main() async {
        StandardStreams.prepare()
        await run(order.arranged(Array(CommandLine.arguments.dropFirst()))) { usage in
            Console(json: true).report(ControlError(.usage, usage))
        }
    }
}
