import ArgumentParser
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayMaintenance
import CausewayStorage

struct StoreMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move the store to the other kind: sqlite, or file.",
        discussion: """
            Everything is copied beside the store, read again and compared; only then the new store takes the place of \
            the old one, which is kept in the folder former-KIND until --discard-former. If the command is \
            interrupted, call it again: nothing opens the store between the two. Afterwards set storage to the new \
            kind in the configuration. The daemon must not run.
            """)

    @Option(help: "The kind: sqlite or file.") var to: Settings.Storage
    @Flag(help: "Remove the former store afterwards, and one that an earlier migration left.") var discardFormer = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.runOnFolder { tools, settings, console throws(ControlError) in
            let report: StoreMigration.Report
            do throws(StoreError) {
                report = try StoreMigration(tools, progress: console.toolProgress)
                    .run(to: to.rawValue, discardsFormer: discardFormer)
            } catch {
                console.endProgress()
                throw ControlError(error)
            }
            console.endProgress()
            if settings.storage != to {
                console.note("set storage = \(to.rawValue) in the configuration of the daemon and the commands")
            }
            try console.report(report) { _ in Self.lines(report) }
            return .ok
        }
    }

    private static func lines(_ report: StoreMigration.Report) -> [String] {
        var lines: [String] = []
        if report.isResumed {
            lines.append("Completed the interrupted migration to \(report.to)")
        } else if report.from == report.to {
            lines.append("The store is of the kind \(report.to) already")
        } else {
            lines.append("Migrated \(EntryCounts.words(report.entries)) from \(report.from) to \(report.to)")
        }
        if let former = report.former { lines.append("The former store is kept in \(former)") }
        return lines
    }
}

extension Settings.Storage: ExpressibleByArgument {}
