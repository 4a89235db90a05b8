import ArgumentParser
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayMaintenance
import CausewayStorage
import CausewaySystem

struct StoreExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything in the store as lines of JSON.",
        discussion: """
            The format is described in Documentation/Export.md. It contains messages in clear text, the queue and the \
            files of messages that are not delivered, and no token. With --to the file appears when it is complete, \
            and a report is printed; otherwise the lines go to standard output. The daemon must not run; a backup of a \
            running store can be exported.
            """)

    @Option(help: ArgumentHelp("The file to make; it must not exist.", valueName: "file")) var to: String?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.runOnFolder { tools, _, console throws(ControlError) in
            let export = StoreExport(tools, progress: console.toolProgress)
            guard let to else {
                _ = try export.run(failure: { ControlError($0) }) { bytes throws(ControlError) in
                    try console.write(String(decoding: bytes, as: UTF8.self))
                }
                console.endProgress()
                return .ok
            }
            let report = try Self.write(export, to: StandardFolders.absolute(to))
            console.endProgress()
            try console.report(report) { _ in
                ["\(to): \(EntryCounts.words(report.entries)), \(report.files) files, \(report.lines) lines"]
            }
            return .ok
        }
    }

    /// Writes beside the file first; it gets its name when it is complete and on the disk.
    private static func write(_ export: StoreExport, to path: String) throws(ControlError) -> StoreExport.Report {
        if FileSystem.exists(path) { throw ControlError(.badRequest, "\(path) exists already") }
        let incomplete = path + ".incomplete"
        let result: Result<StoreExport.Report, ControlError>
        do throws(SystemError) {
            try FileSystem.removeIfPresent(incomplete)
            let file = try OpenFile(incomplete, for: .writing, [.create, .exclusive])
            result = Result { () throws(ControlError) in
                try export.run(failure: { ControlError($0) }) { bytes throws(ControlError) in
                    do throws(SystemError) { try file.write(bytes) } catch { throw Self.failure(error, incomplete) }
                }
            }
            if case .success = result {
                try file.sync()
                try FileSystem.rename(incomplete, to: path)
                try FileSystem.syncFolder(FileSystem.parent(of: path))
            } else {
                try FileSystem.removeIfPresent(incomplete)
            }
        } catch {
            throw failure(error, path)
        }
        return try result.get()
    }

    private static func failure(_ error: SystemError, _ path: String) -> ControlError {
        ControlError(error.isFull ? .storeFull : .storeNotAccessible, "cannot write \(path): \(error)")
    }
}
