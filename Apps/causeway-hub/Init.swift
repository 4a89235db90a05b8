import ArgumentParser
import CausewayConfiguration
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import Foundation

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create a hub: an authority, a server certificate, a first account and a first channel.",
        discussion: "Existing files are never overwritten.")

    @OptionGroup var data: DataOption

    @Option(
        name: .long, parsing: .singleValue,
        help: """
            A host name or address of the hub, as clients use it; may be repeated. Default: localhost, 127.0.0.1 \
            and ::1.
            """
    )
    var name: [String] = []

    @Option(name: .long, help: "The first account.")
    var account = "me"

    @Option(name: .long, help: "The first channel.")
    var channel = "general"

    func run() async throws {
        try await failing {
            let names = name.isEmpty ? ["localhost", "127.0.0.1", "::1"] : name
            let made = try await HubSetup(
                folder: data.folder, names: names, account: account, channel: channel
            ).run(opening: SQLiteHubStorage.open)
            let audit = AuditLog(data.folder)
            audit.record("account added", made.account.value)
            audit.record("channel created", made.channel.value)
            try say(Self.report(made, port: port))
        }
    }

    /// The port on which `serve` listens; a placeholder if the system chooses it, or the settings are invalid, which
    /// `serve` reports.
    private var port: String {
        let environment = ProcessInfo.processInfo.environment
        guard
            let settings = try? HubSettings(flags: [:], environment: environment, file: data.folder.settings),
            let address = try? HubConfiguration.address(settings.listen), address.port > 0
        else { return "PORT" }
        return String(address.port)
    }

    private static func report(_ made: HubSetup.Made, port: String) -> String {
        """
        Created a hub in \(made.folder.path)
          certificate  \(made.folder.serverCertificate) for \(made.names.joined(separator: ", "))
          authority    \(made.folder.authorityCertificate) (clients must trust it; its key is ca.key beside it)
          account      \(made.account), token in \(made.tokenPath) (keep it secret)
          channel      \(made.channel)

        Next:
          causeway-hub serve --data \(quoted(made.folder.path))
          causeway login https://\(host(made.names[0])):\(port) --ca \(quoted(made.folder.authorityCertificate)) \
        --token-file \(quoted(made.tokenPath))
        """
    }

    /// A name as the host of an address.
    private static func host(_ name: String) -> String { name.contains(":") ? "[\(name)]" : name }

    /// Quotes a path for a shell.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "@")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        return isPlain
            ? path
            : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
