import CausewayTestSupport
import Foundation
import Testing

/// The real daemon, and a network interface that goes down and comes up.
@Suite(.enabled(if: geteuid() == 0, "network namespaces need root")) struct NetworkTests {
    @Test func theOutboxFollowsTheLink() async throws {
        try await LinkedHosts.run { hosts in
            #expect(try await hosts.causeway("send", "general", "1", "--wait").status == 0)
            try await hosts.setLink(up: false)
            // Without the system's report an idle daemon would notice minutes later.
            try await Eventually.holds("the daemon knows that there is no network") {
                try await hosts.causeway("status").output.contains("no network connection")
            }
            let sent = try await hosts.causeway("send", "general", "2", "--json")
            let ids = try JSONDecoder().decode([String: [String]].self, from: Data(sent.output.utf8))["ids"] ?? []
            let id = try #require(ids.first)
            try await hosts.setLink(up: true)
            #expect(try await hosts.causeway("send", "general", "3", "--wait").status == 0)
            #expect(try await hosts.textsOnTheHub() == ["1", "2", "3"])
            // The time without a link used up no attempt.
            let message = try await hosts.causeway("message", id, "--json")
            let shown = try JSONDecoder().decode(Shown.self, from: Data(message.output.utf8))
            #expect(shown.attempts == 1)
        }
    }

    private struct Shown: Decodable {
        let attempts: Int
    }

    /// The number of times that the link goes down or up, in the middle of deliveries; with `make flap-link` each state
    /// lasts for two seconds, for a minute.
    private static let rounds = Int(ProcessInfo.processInfo.environment["CAUSEWAY_FLAPS"] ?? "") ?? 6
    private static let isLong = rounds > 6

    @Test func aLinkThatFlapsLosesAndDoublesNothing() async throws {
        try await LinkedHosts.run { hosts in
            var texts: [String] = []
            for round in 1...Self.rounds {
                // A page of the hub holds all of them.
                let lines = (1...(Self.isLong ? 30 : 50)).map { "round \(round) message \($0)" }
                let sent = try await hosts.causeway("send", "general", "--lines", input: lines.joined(separator: "\n"))
                #expect(sent.status == 0, "\(sent.errors)")
                texts += lines
                // Wherever the delivery is.
                try await hosts.setLink(up: round.isMultiple(of: 2))
                if Self.isLong { _ = try await Program(path: "/bin/sleep").run(["2"]) }
            }
            #expect(try await hosts.causeway("send", "general", "last", "--wait").status == 0)
            #expect(try await hosts.textsOnTheHub() == texts + ["last"])
        }
    }
}
