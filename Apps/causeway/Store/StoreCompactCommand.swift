import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct StoreCompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give back the room that the store no longer needs, also while the daemon runs.",
        discussion: "A file store is compacted while it is written to; in a SQLite store writers wait meanwhile.")

    @OptionGroup var options: CommandOptions

    private struct Report: Encodable {
        let bytesBefore: Int64
        let bytesAfter: Int64
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let status = try await route.service.perform(.init(.compact), "compacting", console)
            let report = Report(bytesBefore: status.bytesBefore, bytesAfter: status.bytesAfter ?? 0)
            try console.report(report) { _ in
                ["\(ByteText.text(report.bytesBefore)) before, \(ByteText.text(report.bytesAfter)) after"]
            }
            return .ok
        }
    }
}
