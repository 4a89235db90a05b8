import Causeway
import Foundation
package import Logging

/// Writes each log entry as one line on standard error: words for people, or JSON for machines.
///
/// A line break or control character in a value cannot begin a line of its own.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let format: Settings.LogFormat
    private let write: @Sendable (String) -> Void

    package init(
        format: Settings.LogFormat, level: Logger.Level,
        write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
    ) {
        self.format = format
        self.write = write
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let values = metadata.merging(event.metadata ?? [:]) { $1 }
        let time = SystemRuntime().wallClock.description
        switch format {
        case .text:
            let tail = values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            write(VisibleText.oneLine("\(time) \(event.level.rawValue) \(event.message)\(tail)") + "\n")
        case .json:
            var members = values.mapValues { "\($0)" }
            members["time"] = time
            members["level"] = event.level.rawValue
            members["message"] = "\(event.message)"
            guard let line = try? ControlJSON.encode(members) else { return }
            write(String(decoding: line, as: UTF8.self) + "\n")
        }
    }
}
