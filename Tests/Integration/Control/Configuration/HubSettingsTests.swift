import CausewayConfiguration
import CausewayControlAPI
import CausewayDiagnostics
import Foundation
import Logging
import Testing

/// The hub's settings have the precedence of all programs: flags, environment, file, defaults.
@Suite struct HubSettingsTests {
    private let file = NSTemporaryDirectory() + "hub-\(UUID().uuidString).json"

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }

    @Test func eachSourceOverridesTheNext() throws {
        let defaults = try HubSettings(flags: [:], environment: [:], file: file)
        #expect(defaults == HubSettings() && defaults.listen == "127.0.0.1:8443")
        try write(#"{"listen": "a:1", "logLevel": "debug", "logFormat": "json"}"#)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let environment = [
            "CAUSEWAY_HUB_LISTEN": "b:2", "CAUSEWAY_HUB_LOG_LEVEL": "", "CAUSEWAY_HUB_LOG_FORMAT": "text",
        ]
        let settings = try HubSettings(flags: [.listen: "c:3"], environment: environment, file: file)
        #expect(settings.listen == "c:3" && settings.logFormat == .text && settings.logLevel == .debug)
        #expect(try HubSettings(flags: [:], environment: environment, file: file).listen == "b:2")
        #expect(try HubSettings(flags: [:], environment: [:], file: file).logFormat == .json)
    }

    @Test func limitsAreNumbers() throws {
        try write(#"{"connections": 4000}"#)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let settings = try HubSettings(
            flags: [.connectionsPerAddress: "2000"], environment: ["CAUSEWAY_HUB_CONNECTIONS_PER_ACCOUNT": "8"],
            file: file)
        #expect(settings.connections == 4000 && settings.connectionsPerAddress == 2000)
        #expect(settings.connectionsPerAccount == 8)
        for wrong in ["0", "-1", "many", "100001", "1.5"] {
            #expect(throws: ControlError.self) {
                try HubSettings(flags: [.connections: wrong], environment: [:], file: file)
            }
        }
    }

    @Test(arguments: [
        (#"{"listne": "x"}"#, "unknown key `listne`"), (#"{"logFormat": "xml"}"#, "must be one of text, json"),
        (#"{"logLevel": "loud"}"#, "must be one of trace"), ("[]", "it must be one JSON object"),
    ])
    func aMistakeIsNamedWithItsFile(text: String, words: String) throws {
        try write(text)
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect {
            try HubSettings(flags: [:], environment: [:], file: file)
        } throws: { error in
            let error = error as? ControlError
            return error?.code == .configuration && error?.detail.contains(words) == true
                && error?.detail.contains(file) == true
        }
    }
}
