import CausewaySystem
import Testing

@Suite struct ArgumentOrderTests {
    private let order = ArgumentOrder(
        flags: ["--json"], options: ["--socket", "--store"], groups: ["account", "channel", "member"])

    struct Line: Sendable, CustomTestStringConvertible {
        let given: String
        let arranged: String

        var testDescription: String { given }
    }

    @Test(
        arguments: [
            Line(given: "status", arranged: "status"),
            Line(given: "--socket /s status", arranged: "status --socket /s"),
            Line(given: "--socket=/s --json status --store x", arranged: "status --socket=/s --json --store x"),
            Line(given: "--socket /s send c -- --json", arranged: "send --socket /s c -- --json"),
            Line(given: "--store /s account add ben", arranged: "account add --store /s ben"),
            Line(given: "--store /s channel member list c", arranged: "channel member list --store /s c"),
            Line(given: "--store /s channel add member", arranged: "channel add --store /s member"),
            Line(given: "--store /s channel member", arranged: "channel member --store /s"),
            Line(given: "--store /s account", arranged: "account --store /s"),
            Line(given: "--json help send", arranged: "help send"),
            // Command lines that the parser is to reject remain unchanged.
            Line(given: "--none status", arranged: "--none status"), Line(given: "--help", arranged: "--help"),
            Line(given: "--socket /s", arranged: "--socket /s"), Line(given: "--socket", arranged: "--socket"),
            Line(given: "", arranged: ""), Line(given: "-x status", arranged: "-x status"),
        ])
    func optionsBeforeTheCommandGoBehindIt(line: Line) {
        let given = line.given.split(separator: " ").map(String.init)
        #expect(order.arranged(given).joined(separator: " ") == line.arranged)
    }
}
