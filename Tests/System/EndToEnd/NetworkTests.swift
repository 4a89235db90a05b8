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
            #expect(try await hosts.causeway("send", "general", "2").status == 0)
            try await hosts.setLink(up: true)
            #expect(try await hosts.causeway("send", "general", "3", "--wait").status == 0)
            #expect(try await hosts.textsOnTheHub() == ["1", "2", "3"])
        }
    }

    @Test func aLinkThatFlapsLosesAndDoublesNothing() async throws {
        try await LinkedHosts.run { hosts in
            var texts: [String] = []
            for round in 1...6 {
                let lines = (1...50).map { "round \(round) message \($0)" }
                let sent = try await hosts.causeway("send", "general", "--lines", input: lines.joined(separator: "\n"))
                #expect(sent.status == 0, "\(sent.errors)")
                texts += lines
                // Wherever the delivery is.
                try await hosts.setLink(up: round.isMultiple(of: 2))
            }
            #expect(try await hosts.causeway("send", "general", "last", "--wait").status == 0)
            #expect(try await hosts.textsOnTheHub() == texts + ["last"])
        }
    }
}
