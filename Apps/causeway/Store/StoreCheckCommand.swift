import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayControlServer
import CausewayMaintenance
import CausewayStorage

struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify everything in the store, and change nothing.",
        discussion: """
            Reads every page or frame, every message, operation and record, compares the indexes with them, verifies \
            the order of the queue, and hashes the files of messages. Exit status 72 if anything is wrong. A write \
            that a crash cut off is reported and is no damage: it was never acknowledged (durability = full), and \
            the next opening of the store removes it. The daemon must not run; a backup of a running store can be \
            checked.

            Every byte of a store has a checksum, and each one that is wrong is named with its file and place. A large \
            store in SQLite that an earlier version made has none until it is compacted (its layout is reported as \
            "without checksums of pages"): there a changed letter of a text is not found. \
            Opening a large store reads only what is needed: check a store whose disk has failed.

            Another program may read a store in SQLite and copy it (`sqlite3 store.sqlite ".backup copy"`). A change \
            that it makes while the daemon is stopped has no checksums, and is refused like damage.
            """)

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.runOnFolder { tools, _, console throws(ControlError) in
            let report: StoreCheckReport
            do throws(StoreError) {
                report = try await console.showingProgress { progress throws(StoreError) in
                    try StoreCheck(tools, progress: progress).run()
                }
            } catch {
                throw ControlError(error)
            }
            try console.report(report) { _ in Self.lines(report) }
            return report.isSound ? .ok : .unusableStore
        }
    }

    private static func lines(_ report: StoreCheckReport) -> [String] {
        var lines = [
            "\(report.store): \(report.kind), \(report.version), \(ByteText.text(report.bytes))",
            EntryCounts.words(report.entries),
            "\(report.blobs) files of messages, \(ByteText.text(report.blobBytes))",
        ]
        if report.unneededFiles > 0 {
            lines.append("\(report.unneededFiles) files that no message needs; the next opening removes them")
        }
        if let place = report.tornAt {
            lines.append(
                "a write that a crash cut off: \(report.tornBytes) bytes in \(place); the next opening removes them")
        }
        lines += report.problems.map { "\($0.rule): \($0.place): \($0.detail)" }
        if report.problemCount > report.problems.count {
            lines.append("… and \(report.problemCount - report.problems.count) more problems")
        }
        lines.append(report.isSound ? "The store is sound" : "\(report.problemCount) problems; restore a backup")
        return lines
    }
}
