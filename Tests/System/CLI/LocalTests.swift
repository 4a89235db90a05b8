import CausewayTestSupport
import Foundation
import Testing

/// Commands that open the store themselves when no daemon runs.
@Suite struct LocalTests {
    private let home: Home

    init() throws { home = try Home() }

    private func loggedIn() async throws -> TestHub {
        let hub = try await TestHub.start(in: home)
        let login = try await home.causeway(
            "login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile)
        #expect(login.status == 0)
        #expect(login.output == "Logged in as ann at \(hub.address)\n")
        return hub
    }

    @Test func offlineAMessageStaysAndSaysWhyAndGoesLater() async throws {
        let hub = try await loggedIn()
        await hub.process.stop()
        let sent = try await home.causeway("send", "general", "hello", "world")
        #expect(sent.status == 0)
        let id = try #require(sent.lines.first)
        #expect(sent.errors.contains("no daemon running: the message stays in the outbox (offline:"))

        let outbox = try await home.causeway("outbox")
        #expect(outbox.status == 0)
        #expect(outbox.output.contains(id))
        #expect(outbox.output.contains("waits: offline:"))
        let json = try await home.causeway("outbox", "--json").json()
        let messages = try #require(json["messages"] as? [[String: Any]])
        #expect(messages.count == 1)
        #expect(messages[0]["id"] as? String == id)
        #expect(messages[0]["text"] as? String == "hello world")
        #expect(messages[0]["state"] as? String == "created")
        #expect((messages[0]["states"] as? [String: String])?["ios"] == "syncing")
        #expect((messages[0]["wait"] as? [String: Any])?["kind"] as? String == "offline")
        #expect(messages[0]["createdAtMs"] is Int)

        let again = try await hub.again()
        let second = try await home.causeway("send", "general", "second", "--wait")
        #expect(second.status == 0)
        let page = try await home.causeway("messages", "general", "--json", "--refresh").json()
        let texts = (page["messages"] as? [[String: Any]])?.map { $0["text"] as? String }
        #expect(texts == ["second", "hello world"])
        let newest = try await home.causeway("messages", "general", "--limit", "1")
        #expect(newest.lines.last?.hasPrefix("… and more: --before ") == true)
        await again.process.stop()
    }

    @Test func tagsAreSentAndShown() async throws {
        let hub = try await loggedIn()
        let sent = try await home.causeway("send", "general", "x", "--tag", "urgent", "--tag", "a b", "--wait")
        #expect(sent.status == 0)
        let id = try #require(sent.lines.first)
        _ = try await home.causeway("edit", id, "edited")
        let page = try await home.causeway("messages", "general", "--json", "--refresh").json()
        let tags = (page["messages"] as? [[String: Any]])?.map { $0["tags"] as? [String] }
        #expect(tags == [["urgent", "a b"]])
        #expect(try await home.causeway("message", id).output.contains("urgent, a b"))
        await hub.process.stop()
    }

    @Test func aMessageThatFailedForGoodEndsWithItsReason() async throws {
        let hub = try await loggedIn()
        let sent = try await home.causeway("send", "nosuch", "x", "--wait")
        #expect(sent.status == 1)
        #expect(sent.errors.contains("refused by the server"))
        let id = try #require(sent.lines.first)
        let failed = try await home.causeway("failed", "--json").json()
        let messages = try #require(failed["messages"] as? [[String: Any]])
        #expect(messages.map { $0["id"] as? String } == [id])
        #expect((messages[0]["failure"] as? [String: Any])?["reason"] as? String == "refused")
        #expect(try await home.causeway("delete", id).output == "Deleted 1 message\n")
        let actions = try await home.causeway("delete-actions", "--json").json()["actions"] as? [[String: Any]]
        #expect(actions?.first?["message"] as? String == id)
        #expect(actions?.first?["by"] as? String == "cli")
        await hub.process.stop()
    }

    /// A deleted edit is no message: the list says which message it concerned.
    @Test func aDeletedEditIsListedAsSuch() async throws {
        let hub = try await loggedIn()
        let sent = try await home.causeway("send", "general", "x", "--wait")
        let id = try #require(sent.lines.first)
        await hub.process.stop()
        #expect(try await home.causeway("edit", id, "edited").status == 0)
        let outbox = try await home.causeway("outbox", "--json").json()["messages"] as? [[String: Any]]
        let edit = try #require(outbox?.first { $0["role"] as? String == "edit" }?["id"] as? String)
        #expect(try await home.causeway("delete", edit).output == "Deleted 1 edit or reaction\n")
        let list = try await home.causeway("delete-actions")
        #expect(list.output.contains(edit) && list.output.contains("edit of message \(id)"))
        let actions = try await home.causeway("delete-actions", "--json").json()["actions"] as? [[String: Any]]
        #expect(actions?.first?["message"] as? String == edit && actions?.first?["role"] as? String == "edit")
        #expect(actions?.first?["related"] as? String == id)
    }

    @Test func linesBecomeMessagesInTheirOrder() async throws {
        let hub = try await loggedIn()
        let input = Data("one\n\ntwo\n".utf8) + Data([0xFF, 0x0A]) + Data("three".utf8)
        let sent = try await Program.causeway.run(
            ["send", "general", "--lines", "--wait"], environment: home.environment, input: input)
        #expect(sent.status == 0 || sent.status == 2)
        #expect(sent.status == 2)
        #expect(sent.lines.count == 3)
        #expect(sent.errors.contains("line 4: the text is not valid UTF-8"))
        #expect(sent.errors.contains("blank lines skipped: 1"))
        let page = try await home.causeway("messages", "general", "--json").json()
        let texts = (page["messages"] as? [[String: Any]])?.compactMap { $0["text"] as? String }
        #expect(texts == ["three", "two", "one"])
        await hub.process.stop()
    }

    @Test func hostileTextIsShownHarmless() async throws {
        let hub = try await loggedIn()
        let hostile = "a\u{1B}[2J\u{202E}b\nc"
        let sent = try await home.causeway("send", "general", input: hostile)
        #expect(sent.status == 0)
        let shown = try await home.causeway("messages", "general").output
        #expect(shown.contains(#"a\u{1b}[2J\u{202e}b\nc"#))
        #expect(!shown.contains("\u{1B}"))
        let json = try await home.causeway("messages", "general", "--json").json()
        #expect((json["messages"] as? [[String: Any]])?.first?["text"] as? String == hostile)
        await hub.process.stop()
    }

    @Test func theTokenIsNowhereButInItsFile() async throws {
        let hub = try await loggedIn()
        let token = try hub.token
        let said = [
            try await home.causeway("status", "--json").output, try await home.causeway("config").output,
            try await home.causeway("logout").output,
        ]
        for text in said { #expect(!text.contains(token)) }
        // Logged out: the file is gone, and no other file in the store contains the token.
        let names = try FileManager.default.contentsOfDirectory(atPath: home.store)
        #expect(!names.contains { $0.hasPrefix("token-") })
        for name in names {
            let file = home.store + "/" + name
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else { continue }
            #expect(data.range(of: Data(token.utf8)) == nil, "\(name)")
        }
        await hub.process.stop()
    }
}
