import Foundation
import Testing

/// `Documentation/Parity.md` names only public symbols and tests that exist.
struct ParityTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(of folder: String, _ suffix: String) throws -> String {
        let folder = root.appendingPathComponent(folder)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix(suffix) }.map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }.joined(separator: "\n")
    }

    /// The names that are declared as public, or as cases.
    private static func publicNames() throws -> Set<Substring> {
        var names: Set<Substring> = []
        let text = try ["Client", "LiveQuery", "LiveCombine", "Models", "Outbox"].map {
            try Self.text(of: "Modules/\($0)", ".swift")
        }.joined(separator: "\n")
        for pattern in [
            #"public [a-z ]*\b(?:func|var|let|struct|class|enum|protocol) (\w+)"#,
            #"\n *(?:public )?(?:indirect )?case (.*)"#,
        ] {
            let expression = try NSRegularExpression(pattern: pattern)
            for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                guard let range = Range(match.range(at: 1), in: text) else { continue }
                names.formUnion(text[range].split { !$0.isLetter && !$0.isNumber })
            }
        }
        return names
    }

    @Test func everyNameAndEveryTestIsThere() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("Documentation/Parity.md"), encoding: .utf8)
        let (tests, names) = (try Self.text(of: "Tests", "Tests.swift"), try Self.publicNames())
        var missing: [Substring] = []
        var known = 0
        for row in page.split(separator: "\n") where row.hasPrefix("|") && !row.hasPrefix("| -") {
            let cells = row.split(separator: "|")
            guard cells.count >= 3, cells[1] != " here " else { continue }
            for name in cells[1].split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                known += 1
                if !names.contains(name) { missing.append(name) }
            }
            for word in cells[2].split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "/" }) {
                known += 1
                let name = word.split(separator: "/").last ?? ""
                let declaration = name.hasSuffix("Tests") ? "struct \(name)" : "func \(name)("
                if !tests.contains(declaration) { missing.append(name) }
            }
        }
        #expect(missing == [])
        #expect(known > 100)
    }
}
