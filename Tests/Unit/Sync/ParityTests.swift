import Foundation
import Testing

/// `Documentation/Parity.md` names only public symbols and tests that exist.
struct ParityTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func files(in folder: String, _ suffix: String) throws -> [(path: String, text: String)] {
        let folder = root.appendingPathComponent(folder)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        return try files.filter { $0.hasSuffix(suffix) }.map {
            ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
    }

    private static func text(of folder: String, _ suffix: String) throws -> String {
        try files(in: folder, suffix).map(\.text).joined(separator: "\n")
    }

    /// The suites and functions of a cell that do not exist: "`Folder/Suite` function, function; `Suite`". A function
    /// must be one of its suite.
    private static func missing(_ cell: Substring, among files: [(path: String, text: String)]) -> [String] {
        var missing: [String] = []
        for clause in cell.split(separator: ";") {
            let words = clause.split { !$0.isLetter && !$0.isNumber && $0 != "/" }
            guard let suite = words.first, let name = suite.split(separator: "/").last else { continue }
            let folder = suite.dropLast(name.count)
            let own = files.filter { file in
                (folder.isEmpty || file.path.contains(folder))
                    && (file.text.contains("struct \(name) ") || file.text.contains("extension \(name) "))
            }
            if own.isEmpty { missing.append(String(suite)) }
            for function in words.dropFirst() where !own.contains(where: { $0.text.contains("func \(function)(") }) {
                missing.append("\(suite) \(function)")
            }
        }
        return missing
    }

    /// The names that are declared as public, or as cases.
    private static func publicNames() throws -> Set<Substring> {
        var names: Set<Substring> = []
        let text = try ["Client", "LiveQuery", "LiveCombine", "Models", "Outbox", "Records"].map {
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
        let (tests, names) = (try Self.files(in: "Tests", ".swift"), try Self.publicNames())
        var missing: [String] = []
        var known = 0
        for row in page.split(separator: "\n") where row.hasPrefix("|") && !row.hasPrefix("| -") {
            let cells = row.split(separator: "|")
            guard cells.count >= 3, cells[1] != " here " else { continue }
            for name in cells[1].split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                known += 1
                if !names.contains(name) { missing.append(String(name)) }
            }
            missing += Self.missing(cells[2], among: tests)
        }
        #expect(missing == [])
        #expect(known > 100)
    }
}
