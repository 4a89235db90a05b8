import ArgumentParser
import CausewayHub

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the hub's database.",
        discussion: """
            The hub must not run. The backup is verified first; the replaced database stays beside it as
            hub.sqlite.replaced. Clients notice that the hub went back, and deliver again what the backup lacks.
            """)

    @OptionGroup var data: DataOption
    @Argument(help: "A copy of a data folder, or of its hub.sqlite (with hub.sqlite-wal beside it, if there was one).")
    var from: String

    func run() async throws {
        try await failing {
            let report = try HubRestore(folder: data.folder, from: from).run()
            AuditLog(data.folder).record("hub restored", report.source)
            try say(
                """
                Restored \(report.database)
                  from      \(report.source)
                  holds     \(report.messages) messages, \(report.accounts) accounts
                """)
            if let replaced = report.replaced { try say("  replaced  \(replaced)") }
            if !report.knowsReplaced { try say("  the replaced database could not be read") }
        }
    }
}
