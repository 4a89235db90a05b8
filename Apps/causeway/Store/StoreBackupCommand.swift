import ArgumentParser
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayDaemon

struct StoreBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into a new folder, also while the daemon runs.",
        discussion: """
            The copy is the store as of one moment, with the files of messages that are not delivered. It appears \
            under its name only when it is complete and on the disk: until then the folder is called TO.incomplete \
            and cannot be opened. The daemon does the copying, with its rights. Tokens are not copied.

            To restore it, stop the daemon and put the folder in the place of the store (or name it with --store), \
            then log in again. Everything queued is delivered; what the other copy has delivered meanwhile is \
            recognised by its id. Both copies may continue.
            """)

    @Argument(help: "The folder to make; it must not exist.") var to: String
    @OptionGroup var options: CommandOptions

    private struct Report: Encodable {
        let path: String
        let bytes: Int64
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let path = StandardFolders.absolute(to)
            let status = try await route.service.perform(.init(.backup, to: path), "copying", console)
            let report = Report(path: path, bytes: status.bytesAfter ?? 0)
            try console.report(report) { _ in ["\(report.path): \(ByteText.text(report.bytes))"] }
            return .ok
        }
    }
}
