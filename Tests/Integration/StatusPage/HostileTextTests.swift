import Causeway
import CausewayControlAPI
import CausewayControlServer
import CausewayStatusPage
import Foundation
import Testing

/// Text of other users stays text, wherever it is shown.
@Suite struct HostileTextTests {
    static let texts = [
        "<script>alert(1)</script>", "</td></table><script src=//evil.example></script>",
        "\" onmouseover=\"alert(1)", "' onfocus='alert(1)", "`-alert(1)-`", "<img src=x onerror=alert(1)>",
        "&lt;script&gt;", "{{csrf}} {{{csrf}}} {{&csrf}}", "<!-- --><![CDATA[ ]]>", "javascript:alert(1)",
        "</title><script>1</script>", "</textarea></script></style>", "\u{0}<b>", "a\u{202E}gnp.exe",
        "\u{2066}x\u{2069}",
        "line\nbreak\r\nand\ttab", "\u{1B}[2J", "%3Cscript%3E", "=cmd|' /C calc'!A0", "\"\u{301} onx=1", "<\u{20D2}b>",
        "'\u{200D}x", "\u{FEFF}<i>", String(repeating: "<", count: 100_000),
    ]

    @Test(arguments: texts)
    func nothingOfItCanEndAnAttributeOrBeginAnElement(text: String) {
        let escaped = PageText().escapeText(text)
        #expect(!escaped.unicodeScalars.contains { "<>\"'`".unicodeScalars.contains($0) })
        #expect(!escaped.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) || $0.value == 0x1B })
        for part in escaped.unicodeScalars.split(separator: "&").dropFirst() {
            let name = String(String.UnicodeScalarView(part.prefix { $0 != ";" }))
            #expect(["lt", "gt", "amp", "quot", "#39", "#96"].contains(name))
        }
    }

    @Test func theEnginesOwnEscapingWouldNotDo() {
        // One character for Swift, a quotation mark and an accent for a browser.
        #expect("\"\u{301}".count == 1)
        #expect(PageText().escapeText("\"\u{301}") == "&quot;\u{301}")
    }

    /// As bodies, as the server's messages, and as search terms.
    @Test func itShowsAsTextOnEveryPage() async throws {
        try await PageWorld.run { configuration in
            configuration.showsBodies = true
        } _: { world in
            var ids: [MessageID] = []
            for text in Self.texts { ids += try await world.fail([text], detail: text) }
            for path in ["/outbox?limit=200", "/failed?limit=200", "/messages?q=general&limit=200"] {
                let answer = try await world.page.get(path)
                #expect(answer.status == 200)
                for id in ids { #expect(answer.body.contains("r-\(id)")) }
                Self.expectHarmless(answer.body, path)
            }
            for id in ids {
                for path in ["/messages/\(id)", "/confirm?do=delete&id=\(id)"] {
                    let answer = try await world.page.get(path)
                    #expect(answer.status == 200)
                    Self.expectHarmless(answer.body, path)
                }
            }
            _ = try await world.service.delete(ids, by: .api)
            for path in ["/delete-actions?limit=200", "/"] {
                Self.expectHarmless(try await world.page.get(path).body, path)
            }
            let hostile = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
            for path in ["/messages?q=\(hostile)", "/outbox?channel=\(hostile)", "/failed?notice=\(hostile)"] {
                Self.expectHarmless(try await world.page.get(path).body, path)
            }
        }
    }

    /// Checks that the page has only its own tags: as many scripts as it has files, no handler, no way out of the body.
    static func expectHarmless(_ html: String, _ path: String) {
        let lower = html.lowercased()
        #expect(lower.components(separatedBy: "<script").count == 2, "\(path)")
        #expect(lower.components(separatedBy: "<img").count == 2, "\(path)")
        // The chart of the overview has a title, too.
        #expect(lower.components(separatedBy: "</title>").count == (path == "/" ? 3 : 2), "\(path)")
        #expect(lower.components(separatedBy: "</html>").count == 2, "\(path)")
        for tag in lower.split(separator: "<").dropFirst() {
            let inside = tag.prefix { $0 != ">" }
            #expect(!inside.contains(" on"), "\(inside.prefix(200))")
            #expect(!inside.contains("javascript:"), "\(inside.prefix(200))")
        }
        #expect(!html.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B || $0.value == 0 })
    }

    @Test func theExportIsNoFormula() async throws {
        try await PageWorld.run { world in
            for detail in ["=1+1", "+1", "-1", "@x", "a,\"b\"\nc"] {
                let ids = try await world.fail(["x"], code: String(detail.prefix(2)), detail: detail)
                _ = try await world.service.delete(ids, by: .cli)
            }
            let answer = try await world.page.get("/delete-actions.csv")
            #expect(answer.status == 200)
            #expect(answer.field("Content-Type")?.hasPrefix("text/csv") == true)
            #expect(answer.field("Content-Disposition") == "attachment; filename=\"delete-actions.csv\"")
            let lines = answer.body.components(separatedBy: "\r\n")
            #expect(lines.first == "sequence,at,by,message,channel,type,state,reason,code,error,failedAt,role,related")
            #expect(lines.count == 7)
            #expect(answer.body.contains("\"refused by the server: a,\"\"b\"\"\nc\""))
            for line in lines.dropFirst().dropLast() {
                for cell in line.split(separator: ",") { #expect(!"=+-@".contains(cell.first ?? " "), "\(line)") }
            }
            // The server's code is in a cell of its own, at its beginning.
            for code in ["'=1", "'+1", "'-1", "'@x"] { #expect(answer.body.contains(",\(code),"), "\(code)") }
        }
    }

    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"),
        ("\t=1", "'\t=1"), ("\n=1", "\"'\n=1\""), ("\r=1", "\\r=1"), ("\u{FF1D}1", "'\u{FF1D}1"),
        ("\u{FF0B}1", "'\u{FF0B}1"), ("\u{FF0D}1", "'\u{FF0D}1"), ("\u{FF20}x", "'\u{FF20}x"),
        ("=\"a\",b", "\"'=\"\"a\"\",b\""), ("a\u{202E}b", "a\\u{202e}b"), ("a\u{0}b", "a\\u{0}b"),
        ("\u{FEFF}=1", "\\u{feff}=1"), ("=\u{301}1", "'=\u{301}1"),
    ])
    func aCellIsNoFormula(text: String, cell: String) { #expect(CSVText.cell(text) == cell) }

    /// Text that only a server, a file or another version of the daemon can provide.
    @Test func whatTheDaemonTellsIsTextToo() async throws {
        try await PageTests.answering { world, double in
            let id = try #require(try await world.fail(["x"]).first)
            for text in Self.texts where text.utf8.count < 1000 {
                double.answers.outbox = { list in list.mapMessages { Self.hostile($0, text) } }
                double.answers.message = { Self.hostile($0, text) }
                double.answers.activity = { Self.hostile($0, text) }
                for path in ["/", "/outbox", "/failed", "/messages?q=general", "/messages/\(id)"] {
                    let answer = try await world.page.get(path)
                    #expect(answer.status == 200, "\(path)")
                    Self.expectHarmless(answer.body, path)
                    // The text did arrive.
                    #expect(answer.body.contains(PageText().escapeText(text)), "\(path) \(text)")
                }
            }
        }
    }

    private static func hostile(_ message: MessageDTO, _ text: String) -> MessageDTO {
        changed(message) { members in
            members["attachment"] = [
                "name": text, "contentType": text, "size": 1, "sha256": text,
            ]
            members["type"] = text
            members["lane"] = text
            var failure = members["failure"] as? [String: Any] ?? [:]
            for name in ["reason", "code", "detail", "text"] { failure[name] = text }
            members["failure"] = failure
            members["waitText"] = text
            members["role"] = text
        }
    }

    private static func hostile(_ activity: ActivityResponse, _ text: String) -> ActivityResponse {
        changed(activity) { members in
            var status = members["status"] as? [String: Any] ?? [:]
            status["server"] = text
            status["attention"] = ["cause": "certificate", "detail": text]
            status["storeProblem"] = text
            var process = status["process"] as? [String: Any] ?? [:]
            process["version"] = text
            process["store"] = text
            status["process"] = process
            members["status"] = status
        }
    }

    /// Returns the value with other members in its JSON; unchanged when the result cannot be decoded, which the test
    /// then detects.
    private static func changed<Form: Codable>(_ form: Form, _ change: (inout [String: Any]) -> Void) -> Form {
        guard let data = try? JSONEncoder().encode(form),
            var members = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return form }
        change(&members)
        guard let changed = try? JSONSerialization.data(withJSONObject: members) else { return form }
        return (try? JSONDecoder().decode(Form.self, from: changed)) ?? form
    }
}
