import ArgumentParser
import CausewayHub
import CausewayHubSQLite
import CausewayHubStorage

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the hub's database and files to a folder.",
        discussion: """
            The hub may run. On the same disk a file is copied as a second name of it, which needs no space. \
            Certificates, keys and tokens are not copied; see restore.
            """)

    @OptionGroup var data: DataOption
    @Argument(help: "A folder without a backup of a database; files that it has already are not copied again.")
    var to: String

    func run() async throws {
        try await failing {
            let report = try HubBackup(folder: data.folder, to: to).run(SQLiteHubBackup.run)
            AuditLog(data.folder).record("hub backed up", report.database)
            try say(
                """
                Copied to \(report.database)
                  holds  \(report.copied.messages) messages, \(report.copied.accounts) accounts
                  files  \(report.blobs) added
                """)
        }
    }
}
