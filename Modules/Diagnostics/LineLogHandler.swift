import CausewayModels
import CausewayRuntime
import CausewaySystem
import Foundation
package import Logging

/// Writes each log entry as one line: text, or a JSON object. The log handler of all programs.
///
/// A line break or control character in a value cannot begin a new line. In JSON, a value that has the name of one of
/// the entry's own members (`time`, `level`, `logger`, `message`) is the member `metadata.NAME`. Entries that cannot be
/// written are dropped, and their number is reported as soon as an entry can be written again; see ``LogOutput``.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let format: LogFormat
    private let label: String?
    private let output: Output

    private enum Output: Sendable {
        case lines(LogOutput)
        case function(@Sendable (String) -> Void)
    }

    /// Writes to standard error.
    ///
    /// - Parameter label: included in each line; omitted if `nil`.
    package init(format: LogFormat, level: Logger.Level, label: String? = nil) {
        self.init(format: format, level: level, label: label, output: .lines(.standardError))
    }

    /// Passes each line, including its line break, to a function.
    package init(
        format: LogFormat, level: Logger.Level, label: String? = nil, write: @escaping @Sendable (String) -> Void
    ) {
        self.init(format: format, level: level, label: label, output: .function(write))
    }

    private init(format: LogFormat, level: Logger.Level, label: String?, output: Output) {
        self.format = format
        self.label = label
        self.output = output
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let values = metadata.merging(event.metadata ?? [:]) { $1 }
        let line = line(event.level, "\(event.message)", values)
        switch output {
        case .function(let write): write(line)
        case .lines(let output):
            output.write(line) { count in
                self.line(.warning, "log lines could not be written", ["count": "\(count)"])
            }
        }
    }

    private func line(_ level: Logger.Level, _ message: String, _ values: Logger.Metadata) -> String {
        let time = SystemRuntime().wallClock.description
        switch format {
        case .text:
            let origin = label.map { " \($0):" } ?? ""
            let tail = values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            return VisibleText.oneLine("\(time) \(level.rawValue)\(origin) \(message)\(tail)") + "\n"
        case .json:
            var own = ["time": time, "level": level.rawValue, "message": message]
            own["logger"] = label
            var members = own
            for (name, value) in values { members[own[name] == nil ? name : "metadata." + name] = "\(value)" }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(members) else { return "" }
            return String(decoding: data, as: UTF8.self) + "\n"
        }
    }
}
