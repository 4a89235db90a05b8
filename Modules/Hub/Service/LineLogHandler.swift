internal import CausewayHTTPServer
internal import CausewayModels
internal import Foundation
package import Logging

/// Writes one line to the standard error for each message, as text or as a JSON object.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let label: String
    private let format: HubSettings.LogFormat

    package init(label: String, format: HubSettings.LogFormat, level: Logger.Level) {
        self.label = label
        self.format = format
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let time = SystemClock.now().description
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let line =
            switch format {
            case .text: textLine(time, event, all)
            case .json: jsonLine(time, event, all)
            }
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    private func textLine(_ time: String, _ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        let extra = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = "\(time) \(event.level) \(label): \(event.message)\(extra)"
        // A line stays a line, whatever a client put into a name.
        return String(line.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }

    private func jsonLine(_ time: String, _ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        var fields = ["time": time, "level": "\(event.level)", "logger": label, "message": "\(event.message)"]
        for (key, value) in metadata where fields[key] == nil { fields[key] = "\(value)" }
        let bytes = (try? HubCoding.encode(fields)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
