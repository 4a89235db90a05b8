import CausewayTestSupport
import Foundation
import Testing

/// The exit status and the messages of commands with wrong arguments.
@Suite struct UsageTests {
    private let home: Home

    init() throws { home = try Home() }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        var input: String? = nil
        let status: Int32
        let words: String

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let unknownID = "0190a6b2-1c3d-7e4f-8a5b-000000000001"

    @Test(
        arguments: [
            Wrong(arguments: ["frobnicate"], status: 64, words: "frobnicate"),
            Wrong(arguments: ["send"], status: 64, words: "channel"),
            Wrong(arguments: ["send", "a b", "x"], status: 65, words: "contains a character other than"),
            Wrong(arguments: ["send", "general", "--lines", "x"], status: 64, words: "--lines reads standard input"),
            Wrong(arguments: ["send", "general", "x", "--timeout", "5s"], status: 64, words: "--timeout requires"),
            Wrong(arguments: ["messages", "a b"], status: 65, words: "contains a character other than"),
            Wrong(arguments: ["messages", "a b", "-f"], status: 65, words: "contains a character other than"),
            Wrong(arguments: ["failed", "--channel", "a b"], status: 65, words: "contains a character other than"),
            Wrong(arguments: ["resend", "--all", "--channel", "a b"], status: 65, words: "contains a character other"),
            Wrong(
                arguments: ["delete-failed", "--yes", "--channel", "a b"], status: 65, words: "contains a character"),
            Wrong(arguments: ["message", "nonsense"], status: 65, words: "nonsense"),
            Wrong(arguments: ["delete", "nonsense"], status: 65, words: "nonsense"),
            Wrong(arguments: ["resend", "nonsense"], status: 65, words: "nonsense"),
            Wrong(arguments: ["react", "nonsense", "x"], status: 65, words: "nonsense"),
            Wrong(arguments: ["edit", "nonsense", "x"], status: 65, words: "nonsense"),
            Wrong(arguments: ["send", "general", "x", "--reply-to", "nonsense"], status: 65, words: "nonsense"),
            Wrong(
                arguments: ["send", "general", "x", "--tag", ""], status: 65, words: "a tag is a text"),
            Wrong(arguments: ["resend"], status: 64, words: "--all"),
            Wrong(arguments: ["outbox", "--limit", "0"], status: 64, words: "--limit"),
            Wrong(arguments: ["delete-actions", "--limit", "0"], status: 64, words: "--limit is 1 to 1000"),
            Wrong(arguments: ["delete-actions", "--limit", "1001"], status: 64, words: "--limit is 1 to 1000"),
            Wrong(arguments: ["login", "https://x", "--token", "t"], status: 64, words: "--token"),
            Wrong(arguments: ["send", "general", "x"], status: 77, words: "not logged in"),
            Wrong(arguments: ["send", "general"], input: "", status: 65, words: "the text is empty"),
            Wrong(arguments: ["send", "general", "--custom", "{"], status: 65, words: "not valid JSON"),
            Wrong(arguments: ["send", "general", "--custom", "[1]"], status: 65, words: "must be a JSON object"),
            Wrong(arguments: ["message", unknownID], status: 66, words: "there is no message \(unknownID)"),
            Wrong(arguments: ["delete", unknownID], status: 66, words: "does not exist"),
            Wrong(arguments: ["delete-failed"], status: 65, words: "--yes"),
            Wrong(arguments: ["logout"], status: 77, words: "not logged in"),
            Wrong(arguments: ["pause"], status: 69, words: "no daemon running"),
            Wrong(arguments: ["status", "--retry-count", "many"], status: 78, words: "retryCount is 'many'"),
            Wrong(
                arguments: ["--retry-count", "many", "channel", "list"], status: 78, words: "retryCount is 'many'"),
            Wrong(
                arguments: ["--retry-count=many", "store", "check"], status: 78, words: "retryCount is 'many'"),
            Wrong(arguments: ["--json", "channel", "list"], status: 77, words: "not logged in"),
            Wrong(arguments: ["status", "--config", "/none.json"], status: 78, words: "/none.json"),
            Wrong(arguments: ["login", "https://127.0.0.1:1"], status: 65, words: "no token was given"),
            Wrong(
                arguments: ["login", "https://127.0.0.1:1", "--token-file", "/none"], status: 66,
                words: "there is no file /none"),
            Wrong(
                arguments: ["login", "https://127.0.0.1:1", "--token-file", "-"], input: "t0ken\n", status: 69,
                words: "127.0.0.1:1"),
            Wrong(
                arguments: ["login", "http://chat.example", "--token-file", "-"], input: "t0ken", status: 76,
                words: "without TLS"),
            Wrong(
                arguments: ["login", "https://ann:pw@chat.example", "--token-file", "-"], input: "t0ken", status: 65,
                words: "invalid server address"),
            Wrong(
                arguments: ["login", "gopher://x", "--token-file", "-"], input: "t0ken", status: 76,
                words: "no transport for the address"),
        ])
    func aProblemIsSaidAndHasItsStatus(wrong: Wrong) async throws {
        let outcome = try await Program.causeway.run(
            wrong.arguments, environment: home.environment, input: wrong.input.map { Data($0.utf8) })
        #expect(outcome.status == wrong.status)
        #expect(outcome.errors.contains(wrong.words))
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.contains("t0ken"))
    }

    @Test func withJSONAProblemIsJSON() async throws {
        let outcome = try await home.causeway("message", Self.unknownID, "--json")
        #expect(outcome.status == 66)
        let answer = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: [String: String]]
        #expect(answer?["error"]?["code"] == "notFound")
    }

    @Test(arguments: [Program.causeway, Program.causewayd])
    func helpHoldsTheTableOfExitCodes(program: Program) async throws {
        let outcome = try await program.run(["--help"], environment: home.environment)
        #expect(outcome.status == 0)
        for number in [0, 1, 2, 64, 65, 66, 69, 70, 72, 73, 74, 75, 76, 77, 78] {
            #expect(outcome.lines.contains { $0.trimmingCharacters(in: .whitespaces).hasPrefix("\(number)  ") })
        }
    }

    @Test func configShowsEachValueAndItsSource() async throws {
        let file = try home.write(#"{"retryCount": 7, "ordering": "strict"}"#, to: "c.json")
        let outcome = try await home.causeway("config", "--json", "--config", file, "--ordering", "laned")
        let settings = try outcome.json() as? [String: [String: String]]
        #expect(settings?["retryCount"] == ["value": "7", "source": "file \(file)"])
        #expect(settings?["ordering"] == ["value": "laned", "source": "flag --ordering"])
        #expect(settings?["store"] == ["value": home.store, "source": "environment CAUSEWAY_STORE"])
        #expect(settings?["durability"] == ["value": "full", "source": "default"])
    }

    @Test func aFolderThatCannotBeMadeIsNamed() async throws {
        let file = try home.write("", to: "file")
        for program in [Program.causeway, .causewayd] {
            let arguments = (program.name == "causeway" ? ["status"] : []) + ["--store", file + "/store"]
            let outcome = try await program.run(arguments, environment: home.environment)
            #expect(outcome.status == 73)
            #expect(outcome.errors.contains(file))
        }
    }
}
