import Foundation
import Testing

/// `Documentation/Traps.md` names only tests that exist.
@Suite struct TrapTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of every test file.
    private static func tests() throws -> String {
        let folder = root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix("Tests.swift") }.map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }.joined()
    }

    @Test func everyTestThatIsNamedIsThere() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("Documentation/Traps.md"), encoding: .utf8)
        let tests = try Self.tests()
        var missing: [Substring] = []
        var known = 0
        for row in page.split(separator: "\n") where row.hasPrefix("|") {
            let cell = row.split(separator: "|").last ?? ""
            // Names in code are suites (and planted faults); what else looks like a name is a test.
            for word in cell.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "/" && $0 != "`" }) {
                let name = word.drop { $0 == "`" }.prefix { $0 != "`" }.split(separator: "/").last ?? ""
                let isTest = !word.hasPrefix("`") && name.first?.isLowercase == true && name.contains { $0.isUppercase }
                let declaration =
                    name.hasSuffix("Tests") ? "struct \(name)" : isTest ? "func \(name)(" : nil as String?
                guard let declaration else { continue }
                known += 1
                if !tests.contains(declaration) { missing.append(name) }
            }
        }
        #expect(missing == [])
        #expect(known > 60)
    }
}
