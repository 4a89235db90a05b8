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

            In a store of files every byte has a checksum. SQLite keeps none of its pages: a changed byte is found if \
            it damages the structure of the file, an index, the number or the order of entries, or a value that cannot \
            be decoded any more; one that turns a value into another valid one (a letter of a text, a digit of a time) \
            is not found. \
            Opening a store reads only what is needed, and so does not find damage that hides messages from a list: \
            check a store whose disk has failed.
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
