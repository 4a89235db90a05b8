import ArgumentParser
import CausewayConfiguration
import CausewaySystem

@main struct Hub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-hub",
        abstract: "The reference server: accepts each message once, in order, and stores it.",
        discussion: """
            All of a hub's data is in one folder. First steps:

              causeway-hub init --account alice
              causeway-hub serve

            Settings are taken from options, then from the environment (CAUSEWAY_HUB_DATA for --data, \
            CAUSEWAY_HUB_LOG_LEVEL for --log-level, and so on), then from hub.json in the data folder \
            ({"listen": "127.0.0.1:8443", "logFormat": "text", "logLevel": "info"}), then from defaults.

            Lists are JSON with --json, and so are their errors, on standard error: \
            {"error":{"code":…,"detail":…}}.

            EXIT STATUS
              0   done
              64  usage error
              65  invalid name
              66  hub, account, channel or member not found
              69  cannot listen on the address
              73  exists already, the channel has had messages, or a limit is reached; nothing was changed
              74  the disk or the database failed
              75  another process uses the hub; try again
              78  invalid setting or certificate
            """,
        version: ProgramVersion.text,
        subcommands: [
            Init.self, Serve.self, Backup.self, Restore.self, AccountCommand.self, ChannelCommand.self,
        ])

    static func main() async {
        StandardStreams.prepare()
        let order = ArgumentOrder(options: ["--data"], groups: ["account", "channel", "member"])
        await run(order.arranged(Array(CommandLine.arguments.dropFirst()))) { usage in
            complain(usage, code: "usage", asJSON: true)
        }
    }
}
