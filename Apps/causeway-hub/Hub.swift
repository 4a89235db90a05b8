import ArgumentParser
import CausewaySystem

@main struct Hub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "causeway-hub",
        abstract: "The reference server: takes messages in order, once, and keeps them.",
        discussion: """
            A hub lives in one data folder. The first steps:

              causeway-hub init --account alice
              causeway-hub serve

            Settings are taken from flags, then from the environment (CAUSEWAY_HUB_DATA, CAUSEWAY_HUB_LISTEN,
            CAUSEWAY_HUB_LOG_FORMAT, CAUSEWAY_HUB_LOG_LEVEL), then from hub.json in the data folder
            ({"listen": "127.0.0.1:8443", "logFormat": "text", "logLevel": "info"}), then from defaults.

            Exit codes:
              0   done
              64  the command line is wrong
              66  there is no such hub or account
              69  the address cannot be listened on
              73  it is there already; nothing was overwritten
              74  the disk or the database refused
              75  another process uses the hub; try again
              78  a setting or a certificate is wrong
            """,
        version: "0.1.0",
        subcommands: [Init.self, Serve.self, Restore.self, AccountCommand.self, ChannelCommand.self])

    static func main() async {
        StandardStreams.prepare()
        let order = ArgumentOrder(options: ["--data"], groups: ["account", "channel"])
        await main(order.arranged(Array(CommandLine.arguments.dropFirst())))
    }
}
