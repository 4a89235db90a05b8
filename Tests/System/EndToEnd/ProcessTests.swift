import CausewayTestSupport
import Foundation
import Testing

/// The main task, with real processes.
@Suite struct ProcessTests {
    @Test func thousandsOfMessagesFromEightProcessesWhileTheHubIsDown() async throws {
        try await ProcessWorld.run { world in
            try await world.startHub()
            try await world.startDaemon()
            try await world.login()
            await world.endHub()
            try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
                for sender in 1...8 {
                    let lines = (1...300).map { "\(sender) \($0)\n" }.joined()
                    group.addTask { try await world.causeway("send", "general", "--lines", input: lines) }
                }
                for try await result in group {
                    #expect(result.status == 0, "\(result.errors)")
                    #expect(result.output.split(separator: "\n").count == 300)
                }
            }
            #expect(try await world.undelivered() == 2_400)
            try await world.startHub()
            try await Eventually.holds("all are on the hub") { try await world.undelivered() == 0 }
            let texts = try await world.textsOnTheHub()
            #expect(texts.count == 2_400)
            for sender in 1...8 {
                let own = texts.filter { $0.hasPrefix("\(sender) ") }
                #expect(own == (1...300).map { "\(sender) \($0)" })
            }
        }
    }

    @Test func aDaemonThatIsKilledAgainAndAgainLosesAndDoublesNothing() async throws {
        try await ProcessWorld.run { world in
            try await world.startHub()
            try await world.startDaemon()
            try await world.login()
            var accepted: [String] = []
            for round in 1...8 {
                let lines = (1...40).map { "round \(round) message \($0)" }
                let sent = try await world.causeway(
                    "send", "general", "--lines", input: lines.joined(separator: "\n"))
                try #require(sent.status == 0, "\(sent.errors)")
                accepted += lines
                // At an arbitrary point: the commands return while it sends.
                await world.endDaemon(SIGKILL)
                if round.isMultiple(of: 3) {
                    await world.endHub(SIGKILL)
                    try await world.startHub()
                }
                try await world.startDaemon()
            }
            try await Eventually.holds("all are on the hub") { try await world.undelivered() == 0 }
            #expect(try await world.textsOnTheHub() == accepted)
        }
    }

    @Test func theDefaultPolicyFailsWhatWasLeftAndSaysWhy() async throws {
        try await ProcessWorld.run { world in
            try await world.startHub()
            try await world.startDaemon(restart: "fail")
            try await world.login()
            await world.endHub()
            let sent = try await world.causeway("send", "general", "late")
            #expect(sent.status == 0)
            let outbox = try await world.causeway("outbox")
            #expect(outbox.output.contains("offline"))
            await world.endDaemon(SIGKILL)
            try await world.startDaemon(restart: "fail")
            let failed = try await world.causeway("failed")
            #expect(failed.output.contains("session ended"))
            try await world.startHub()
            let id = sent.output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try await world.causeway("resend", id).status == 0)
            try await Eventually.holds("it is on the hub") { try await world.undelivered() == 0 }
            #expect(try await world.textsOnTheHub() == ["late"])
        }
    }

    @Test func sendWaitsForTheHubOnlyWhenAskedTo() async throws {
        try await ProcessWorld.run { world in
            try await world.startHub()
            try await world.startDaemon()
            try await world.login()
            #expect(try await world.causeway("send", "general", "--wait", "hi").status == 0)
            #expect(try await world.textsOnTheHub() == ["hi"])
            let refused = try await world.causeway("send", "nowhere", "--wait", "hi")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("nowhere"))
            let wrong = try await world.causeway("send", "no channel", "hi")
            #expect(wrong.status == 65)
            let long = try await world.causeway("send", "general", input: String(repeating: "x", count: 131_073))
            #expect(long.status == 65)
            #expect(long.errors.contains("131072"))
        }
    }

    @Test func withoutADaemonTheCommandLineDoesTheJob() async throws {
        try await ProcessWorld.run { world in
            try await world.startHub()
            try await world.login()
            #expect(try await world.causeway("send", "general", "--wait", "1").status == 0)
            await world.endHub()
            let left = try await world.causeway("send", "general", "2")
            #expect(left.status == 0)
            #expect(try await world.causeway("outbox").output.contains("offline"))
            try await world.startHub()
            #expect(try await world.causeway("send", "general", "--wait", "3").status == 0)
            #expect(try await world.textsOnTheHub() == ["1", "2", "3"])
        }
    }
}
