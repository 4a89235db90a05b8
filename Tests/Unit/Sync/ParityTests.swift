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
        for line in try text(of: "Modules", ".swift").split(separator: "\n") {
            let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
            guard let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count else { continue }
            if words[kind] == "case" {
                names.formUnion(words[(kind + 1)...])
            } else if words[..<kind].contains("public") {
                names.insert(words[kind + 1])
            }
        }
        return names
    }

    private static let kinds: Set<Substring> = ["func", "var", "let", "struct", "class", "enum", "case", "protocol"]

    @Test func everyNameAndEveryTestIsThere() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("Documentation/Parity.md"), encoding: .utf8)
        let (tests, names) = (try Self.text(of: "Tests", "Tests.swift"), try Self.publicNames())
        var missing: [Substring] = []
        var known = 0
        for row in page.split(separator: "\n") where row.hasPrefix("|") && !row.hasPrefix("| -") {
            let cells = row.split(separator: "|")
            guard cells.count > 3, cells[1] != " here " else { continue }
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
