import CausewayControl
import CausewayHTTPServer
import CausewayStatusPage
import Foundation
import Testing

/// Options, environment, file, defaults.
@Suite struct SettingsTests {
    private static let nowhere = ["HOME": "/nonexistent"]

    private func configuration(
        _ flags: [StatusPageKey: String] = [:], _ environment: [String: String] = [:], file: String? = nil
    ) throws -> StatusPageConfiguration {
        try StatusPageSettings(flags: flags, environment: Self.nowhere.merging(environment) { $1 }, file: file)
            .configuration(socket: "/s")
    }

    /// A file with this content for as long as `body` runs.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/cw-\(UUID().uuidString)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func theDefaultsAreForThisMachineAlone() throws {
        let defaults = try configuration()
        #expect(defaults.listen == ListenAddress(host: "127.0.0.1", port: 8585))
        #expect(defaults.token == nil && defaults.identity == nil && !defaults.showsBodies)
    }

    @Test func whatIsSaidFirstCounts() throws {
        try withFile(#"{"listen":"127.0.0.1:1","showBodies":true,"origins":["http://localhost:9"]}"#) { path in
            #expect(try configuration(file: path).listen.port == 1)
            #expect(try configuration(file: path).showsBodies)
            #expect(try configuration(file: path).origins.map(\.description) == ["http://localhost:9"])
            let environment = ["CAUSEWAY_STATUS_LISTEN": "127.0.0.1:2", "CAUSEWAY_STATUS_SHOW_BODIES": "false"]
            #expect(try configuration([:], environment, file: path).listen.port == 2)
            #expect(try !configuration([:], environment, file: path).showsBodies)
            #expect(try configuration([.listen: "127.0.0.1:3"], environment, file: path).listen.port == 3)
            #expect(try configuration([:], ["CAUSEWAY_STATUS_CONFIG": path]).listen.port == 1)
        }
    }

    @Test func theTokenComesFromAFileOrTheEnvironment() throws {
        let token = "a-token-of-enough-letters"
        try withFile(token + "\n") { path in
            let whole: [StatusPageKey: String] = [
                .listen: "0.0.0.0:8585", .origins: "https://a.example", .certificate: "/c", .key: "/k",
                .tokenFile: path,
            ]
            #expect(try configuration(whole).token != nil)
            var lacking = whole
            lacking[.tokenFile] = nil
            #expect(throws: ControlError.self) { try configuration(lacking) }
            #expect(try configuration(lacking, ["CAUSEWAY_STATUS_TOKEN": token]).token == configuration(whole).token)
            #expect("\(String(describing: try configuration(whole).token))".contains(token) == false)
        }
    }

    @Test(arguments: [
        [StatusPageKey.listen: "8585"], [.listen: ":8585"], [.listen: "127.0.0.1:70000"], [.origins: "evil.example"],
        [.certificate: "/c"], [.key: "/k"], [.showBodies: "perhaps"], [.tokenFile: "/nonexistent/token"],
        [.listen: "0.0.0.0:8585"], [.origins: "https://status.example"],
    ])
    func whatIsWrongIsSaid(flags: [StatusPageKey: String]) {
        #expect {
            try configuration(flags)
        } throws: { error in
            (error as? ControlError)?.code == .configuration
        }
    }

    @Test(arguments: [#"{"listen":1}"#, #"{"unknown":"x"}"#, "[]", "no json", #"{"origins":[1]}"#])
    func aFileThatIsWrongIsRefused(text: String) throws {
        try withFile(text) { path in
            #expect(throws: ControlError.self) { try configuration(file: path) }
        }
    }
}
