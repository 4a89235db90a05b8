import CausewayModels
import Foundation
import Testing

/// The published codes of failures are those of the hub's documentation, and all that the code has.
struct FailureCodeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The matches of the first group of a pattern in the Swift files of a folder.
    private static func matches(_ pattern: String, in folders: [String]) throws -> Set<String> {
        let expression = try NSRegularExpression(pattern: pattern)
        var found: Set<String> = []
        for folder in folders.map(root.appendingPathComponent) {
            let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                    if let range = Range(match.range(at: 1), in: text) { found.insert(String(text[range])) }
                }
            }
        }
        return found
    }

    @Test func theHubDocumentsThem() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("Documentation/Hub.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "### Codes of refused operations")
        let section = try #require(parts.count == 2 ? parts[1].components(separatedBy: "\n## ").first : nil)
        let codes = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
            $0.split(separator: "`").dropFirst().first.map(String.init)
        }
        #expect(Set(codes) == FailureCode.ofHub && codes.count == FailureCode.ofHub.count)
    }

    /// Codes of whole requests, which are errors of HTTP, and of a fault for tests.
    private static let ofRequests: Set = [
        "deliveryInvalid", "jsonInvalid", "jsonTooDeep", "jsonTooManyValues", "tooManyOperations", "tryLater",
    ]

    @Test func theHubRefusesWithThem() throws {
        let folders = [
            "Modules/HubRules/Channels", "Modules/HubRules/Records", "Modules/Records", "Modules/Hub/Delivery",
        ]
        var codes = try Self.matches(#"code: "(\w+)""#, in: folders)
        // The problems of a content have their codes in one place.
        codes.formUnion(try Self.matches(#"(?:\n {12}|: )"(\w+)"\n"#, in: ["Modules/Hub/Delivery"]))
        #expect(codes.subtracting(Self.ofRequests) == FailureCode.ofHub)
    }

    @Test func theClientFailsWithThem() throws {
        let folders = ["Client", "Sync", "Outbox", "Transport", "HTTPTransport"].map { "Modules/\($0)" }
        let codes = try Self.matches(#"code: "(\w+)""#, in: folders)
        #expect(codes.subtracting(FailureCode.ofHub).subtracting(FailureCode.ofClient) == [])
    }

    /// No constant is missing in the two lists.
    @Test func everyConstantIsListed() throws {
        let values = try Self.matches(#"public static let \w+ = "(\w+)""#, in: ["Modules/Models/Outbox"])
        #expect(values == FailureCode.ofHub.union(FailureCode.ofClient))
    }
}
