import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Download: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the file of a message.",
        discussion: """
            Writes beside the target first, under a name that ends in .part; the same command continues a download \
            that was cut. The file gets its name when its SHA-256 is that of the message. An existing file is never \
            replaced. Prints the path; --json prints {"path":…,"bytes":…,"sha256":…}.
            """)

    @Argument(help: "The message's id.") var id: MessageArgument
    @Option(help: ArgumentHelp("The file to write, or the folder to write it in.", valueName: "path"))
    var to = "."
    @OptionGroup var options: CommandOptions

    private struct Report: Encodable {
        let path: String
        let bytes: Int64
        let sha256: String
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let id = try id.id()
            let message = try await route.service.message(id)
            guard let attachment = message.attachment else {
                throw ControlError(.wrongState, "message \(id) has no file")
            }
            let target = try DownloadTarget(attachment, to: to)
            let progress = TransferProgress(total: attachment.size, from: target.offset)
            if target.offset < attachment.size {
                try await route.service.readFile(of: id, from: target.offset) { bytes throws(ControlError) in
                    try target.append(bytes)
                    if let line = progress.line("downloading", at: target.offset) { console.progress(line) }
                }
            }
            console.endProgress()
            try target.finish()
            try console.report(
                Report(path: target.path, bytes: attachment.size, sha256: attachment.sha256)
            ) { _ in [target.path] }
            return .ok
        }
    }
}
