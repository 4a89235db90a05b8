import Logging
import Synchronization

/// A hub's log, one text for each line: `level message key=value …`, keys in their order.
final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    var logger: Logger { Logger(label: "hub") { _ in Handler(recorder: self) } }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            // Of the debug messages only those of the hub itself.
            guard event.level >= .info || event.source == "CausewayHub" else { return }
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            // The server library's metadata is omitted.
            let extra = all.filter { !$0.key.hasPrefix("hb.") }.sorted { $0.key < $1.key }.map {
                " \($0.key)=\($0.value)"
            }.joined()
            recorder.recorded.withLock { $0.append("\(event.level) \(event.message)\(extra)") }
        }
    }
}
