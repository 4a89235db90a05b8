import Causeway
import CausewayControlAPI
import CausewayControlServer
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// Failed edits and reactions on the pages: beside failed messages, in words of their own.
@Suite struct FailedChangeTests {
    /// A delivered message, whose edit and reaction the server refuses, and a refused message.
    private func failed(in world: PageWorld) async throws -> (message: MessageID, edit: MessageID) {
        let sent = try await world.service.send([OutgoingMessage(channel: world.general, text: "hi")]).ids
        let message = try #require(sent.first)
        #expect(try await world.result(of: message).outcome == .delivered)
        world.remote.set(.refusing(code: "forbidden", detail: "the channel is closed"))
        _ = try await world.service.edit(message, EditRequest(text: "hello"))
        _ = try await world.service.react(message, ReactionRequest(name: "wave", isAdded: true))
        _ = try await world.fail(["ho"])
        try await Eventually.holds("all have failed") { try await world.service.status().counts.error == 3 }
        let list = try await world.service.failed(in: nil, PageRange()).messages
        return (message, try #require(list.first { $0.role == "edit" }?.id))
    }

    @Test func theListSaysTheMessageTheReasonAndTheRemedy() async throws {
        try await PageWorld.run { world in
            let (message, edit) = try await failed(in: world)
            let page = try await world.page.get("/failed").body
            let link = "<a class=\"id\" href=\"/messages/\(message)\" title=\"\(message)\">"
            for text in [
                "edit of message " + link, "reaction to message " + link,
                "refused by the server: the channel is closed",
                "or delete it: its message then stays as it is on the server", "aria-label=\"Select edit …",
                "aria-label=\"Select reaction …", "aria-label=\"Select message …",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            let one = try await world.page.get("/messages/\(edit)").body
            for text in [
                "<h1>Edit</h1>", "edit of message <a", "\(message)", "<dt>What to do</dt>", "its message then",
            ] {
                #expect(one.contains(text), "\(text)")
            }
        }
    }

    @Test func theyAreNotCountedAsMessages() async throws {
        try await PageWorld.run { world in
            let (_, edit) = try await failed(in: world)
            let page = try await world.page.get("/").body
            for text in [
                "<b>1</b>failed (error)", "<b>2</b>failed edits and reactions",
                "No messages are waiting in a lane; 1 message and 2 edits and reactions failed.",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            let question = try await world.page.get("/confirm?do=delete&id=\(edit)").body
            #expect(question.contains("Delete 1 edit or reaction?") && question.contains("edit of message <a"))
            #expect(
                try await world.page.get("/confirm?do=delete-all").body
                    .contains("Delete all failed messages, edits and reactions?"))
            let done = try await world.page.post("/actions", "csrf=\(try await world.csrfToken())&do=delete-all")
            let told = try await world.page.get(try #require(done.field("Location"))).body
            #expect(told.contains("1 message and 2 edits and reactions were deleted."))
        }
    }

    /// In the list of past deletions, its export and its JSON, and where one was.
    @Test func deletedOnesAreListedAsSuch() async throws {
        try await PageWorld.run { world in
            let (message, edit) = try await failed(in: world)
            let reaction = try #require(
                try await world.service.failed(in: nil, PageRange()).messages.first { $0.role == "addReaction" }?.id)
            _ = try await world.service.deleteFailed(in: nil, by: .cli)
            let page = try await world.page.get("/delete-actions").body
            #expect(page.contains("Every message, edit and reaction that was deleted on this machine"))
            let link = "<a class=\"id\" href=\"/messages/\(message)\" title=\"\(message)\">"
            for (id, words) in [(edit, "edit of message "), (reaction, "reaction to message ")] {
                let cell = "<span class=\"id\">\(id)</span><span class=\"states\">\(words)\(link)"
                #expect(page.contains(cell), "\(words)")
            }
            #expect(page.components(separatedBy: "</span><span class=\"states\">text</span>").count == 2)
            let file = try await world.page.get("/delete-actions.csv").body.components(separatedBy: "\r\n")
            #expect(file.count { $0.contains(",\(edit),") && $0.hasSuffix(",edit,\(message)") } == 1)
            #expect(file.count { $0.contains(",\(reaction),") && $0.hasSuffix(",addReaction,\(message)") } == 1)
            #expect(file.count { $0.hasSuffix("Z,,") } == 1)
            let json = try await world.page.get("/api/delete-actions").body
            #expect(json.contains("\"role\":\"edit\"") && json.contains("\"related\":\"\(message)\""))
            let gone = try await world.page.get("/messages/\(edit)")
            #expect(gone.status == 404 && gone.body.contains("The edit \(edit) was deleted on"))
        }
    }

    /// The tiles of the overview lead below the path of the login.
    @Test func theTilesLeadBelowThePathOfTheLogin() async throws {
        try await PageWorld.run(LoginTests.guarded) { world in
            let failed = try await world.fail(["a"])
            _ = try await world.service.send([OutgoingMessage(channel: world.general, text: "b", parent: failed[0])])
            let login = try PageLogin(try await LoginTests.login(world.page, PageWorld.token))
            let page = try await world.page.get(login.root + "/", [login.field]).body
            #expect(page.contains("<a href=\"\(login.root)/failed\" class=\"bad\"><b>1</b>blocked by failed ones"))
        }
    }
}
