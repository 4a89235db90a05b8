import ArgumentParser
import CausewayHub
import CausewayHubSQLite
import CausewayHubStorage

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace the hub's database by a backup, and put its files back.",
        discussion: """
            The hub must be stopped. The backup is verified first; the replaced database is kept beside it as \
            hub.sqlite.replaced. The files of the backup (blobs beside hub.sqlite) are added to those that are there; \
            the hub removes files without a message at its next start. Clients detect the restoration, and deliver \
            messages that the backup lacks again.
            """)

    @OptionGroup var data: DataOption
    @Argument(help: "A copy of a data folder, or of its hub.sqlite (with hub.sqlite-wal beside it, if there was one).")
    var from: String

    func run() async throws {
        try await failing {
            let report = try HubRestore(folder: data.folder, from: from).run(SQLiteHubRestore.run)
            AuditLog(data.folder).record("hub restored", report.source)
            try say(
                """
                Restored \(report.database)
                  from      \(report.source)
                  holds     \(report.restored.messages) messages, \(report.restored.accounts) accounts
                  files     \(report.blobs) put back
                """)
            if let replaced = report.restored.replaced { try say("  replaced  \(replaced)") }
            if !report.restored.knowsReplaced { try say("  the replaced database could not be read") }
        }
    }
}
