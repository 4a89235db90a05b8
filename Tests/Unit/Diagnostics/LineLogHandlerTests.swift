import CausewayDiagnostics
import Foundation
import Logging
import Synchronization
import Testing

/// One entry is one line, in both forms.
@Suite struct LineLogHandlerTests {
    @Test(arguments: [LogFormat.text, .json])
    func aLogEntryIsOneLine(format: LogFormat) throws {
        let written = Mutex("")
        var logger = Logger(label: "x") { _ in
            LineLogHandler(format: format, level: .info) { line in written.withLock { $0 += line } }
        }
        logger[metadataKey: "who"] = "a\nb"
        logger.info("hello\n\u{1B}", metadata: ["n": "1"])
        logger.debug("not this")
        let text = written.withLock { $0 }
        #expect(text.hasSuffix("\n"))
        #expect(text.dropLast().contains("\n") == false)
        #expect(text.contains("\u{1B}") == false)
        if format == .json {
            let members = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(members["message"] == "hello\n\u{1B}")
            #expect(members["who"] == "a\nb")
            #expect(members["level"] == "info")
            #expect(members["logger"] == nil)
        }
    }

    /// The daemon names the message that failed so.
    @Test(arguments: [nil, "hub"] as [String?])
    func aValueWithTheNameOfAMemberIsNotLost(label: String?) throws {
        let written = Mutex("")
        var logger = Logger(label: "x") { _ in
            LineLogHandler(format: .json, level: .info, label: label) { line in written.withLock { $0 += line } }
        }
        logger[metadataKey: "logger"] = "a"
        logger.warning("message failed", metadata: ["message": "b", "level": "c", "time": "d", "reason": "refused"])
        let text = written.withLock { $0 }
        let members = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(members["message"] == "message failed" && members["metadata.message"] == "b")
        #expect(members["level"] == "warning" && members["metadata.level"] == "c")
        #expect(members["time"] != "d" && members["metadata.time"] == "d")
        #expect(members["reason"] == "refused" && members["metadata.reason"] == nil)
        #expect(members["logger"] == (label ?? "a") && members["metadata.logger"] == label.map { _ in "a" })
    }

    @Test(arguments: [LogFormat.text, .json])
    func theLabelStandsInTheLineWhenItIsWanted(format: LogFormat) {
        let written = Mutex("")
        let logger = Logger(label: "hub") { label in
            LineLogHandler(format: format, level: .info, label: label) { line in written.withLock { $0 += line } }
        }
        logger.info("listening")
        let text = written.withLock { $0 }
        #expect(text.contains(format == .text ? " info hub: listening\n" : #""logger":"hub""#))
    }
}
