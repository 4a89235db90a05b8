import Logging
import Synchronization

/// Records log lines.
final class LineKeeper: LogHandler {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.level): \(event.message)") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .notice }
        set {}
    }
}
