import CausewayConfiguration
import CausewayControlAPI
import CausewayHTTPServer
import CausewayStatusPage
import CausewayTestSupport
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

    /// A file that exists as long as the object does.
    private final class File {
        private let folder: TemporaryFolder
        let path: String

        init(_ text: String, mode: Int = 0o600) throws {
            folder = try TemporaryFolder()
            path = try folder.write(text, to: "file", mode: mode)
        }
    }

    @Test func aTokenFileOfOthersIsRefused() throws {
        let file = try File("a-token-of-enough-letters\n", mode: 0o644)
        let error = try #require(throws: ControlError.self) { try configuration([.tokenFile: file.path]) }
        #expect(error.code == .configuration)
        #expect(error.detail == "\(file.path) can be read or written by others; run chmod 600 on it")
    }

    @Test func theDefaultsAreForThisMachineAlone() throws {
        let defaults = try configuration()
        #expect(defaults.listen == ListenAddress(host: "127.0.0.1", port: 8585))
        #expect(defaults.token == nil && defaults.identity == nil && !defaults.showsBodies)
    }

    @Test func whatIsSaidFirstCounts() throws {
        let file = try File(#"{"listen":"127.0.0.1:1","showBodies":true,"origins":["http://localhost:9"]}"#)
        let said = try configuration(file: file.path)
        #expect(said.listen.port == 1 && said.showsBodies)
        #expect(said.origins.map(\.description) == ["http://localhost:9"])
        let environment = ["CAUSEWAY_STATUS_LISTEN": "127.0.0.1:2", "CAUSEWAY_STATUS_SHOW_BODIES": "false"]
        let louder = try configuration([:], environment, file: file.path)
        #expect(louder.listen.port == 2 && !louder.showsBodies)
        #expect(try configuration([.listen: "127.0.0.1:3"], environment, file: file.path).listen.port == 3)
        #expect(try configuration([:], ["CAUSEWAY_STATUS_CONFIG": file.path]).listen.port == 1)
    }

    @Test func theTokenComesFromAFileOrTheEnvironment() throws {
        let text = "a-token-of-enough-letters"
        let file = try File(text + "\n")
        var flags: [StatusPageKey: String] = [
            .listen: "0.0.0.0:8585", .origins: "https://a.example", .certificate: "/c", .key: "/k",
            .tokenFile: file.path,
        ]
        let token = try #require(try configuration(flags).token)
        #expect("\(token)" == "••••")
        flags[.tokenFile] = nil
        let lacking = flags
        #expect(throws: ControlError.self) { try configuration(lacking) }
        #expect(try configuration(lacking, ["CAUSEWAY_STATUS_TOKEN": text]).token == token)
    }

    @Test func theTokenHasTheSamePrecedence() throws {
        let (low, middle, high) = ("token-of-the-config-file", "token-of-the-environment", "token-of-the-command-line")
        let lowFile = try File(low)
        let highFile = try File(high)
        let file = try File(#"{"tokenFile":"\#(lowFile.path)"}"#)
        let environment = ["CAUSEWAY_STATUS_TOKEN": middle]
        let of = { (text: String) in try AccessTokenDigest(text, from: "the test") }
        #expect(try configuration(file: file.path).token == of(low))
        #expect(try configuration([:], environment, file: file.path).token == of(middle))
        #expect(try configuration([.tokenFile: highFile.path], environment, file: file.path).token == of(high))
    }

    /// An empty variable, or two of them, in a broken script do not open the page.
    @Test(arguments: [
        ["CAUSEWAY_STATUS_TOKEN": ""], ["CAUSEWAY_STATUS_TOKEN_FILE": ""],
        ["CAUSEWAY_STATUS_TOKEN": "a-token-of-enough-letters", "CAUSEWAY_STATUS_TOKEN_FILE": "/dev/null"],
    ])
    func aTokenThatIsSetToNothingIsRefused(environment: [String: String]) {
        #expect {
            try configuration([:], environment)
        } throws: { error in
            (error as? ControlError)?.code == .configuration
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
        let file = try File(text)
        #expect(throws: ControlError.self) { try configuration(file: file.path) }
    }
}
