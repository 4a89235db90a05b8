import Causeway
import CausewayControl
import CausewayScriptedWorld
import CausewayStatusPage
import Foundation
import Synchronization
import Testing

/// What stands on the pages.
@Suite struct PageTests {
    @Test func theOverviewSaysHowThingsStand() async throws {
        try await PageWorld.run { world in
            let failed = try await world.fail(["a"])
            world.remote.set(.working)
            let sent = try await world.service.send([OutgoingMessage(channel: world.general, text: "b")]).ids
            _ = try await world.service.result(of: sent[0], within: .seconds(20))
            let queued = try await world.queue(["c", "d"])
            try await eventually("the lane is there") { try await world.service.status().lanes.first?.depth == 2 }
            let page = try await world.page.get("/").body
            for text in [
                "<dd><bdi>ann</bdi></dd>", "The outbox is paused.", "<b>2</b>waiting (created)",
                "<b>1</b>failed (error)", "<b>1</b>delivered in this run", "1 message in the last hour",
                "scripted/1", "href=\"/messages/\(queued[0])\"", "<code>/store</code>", "<code>/run/s</code>",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            #expect(page.components(separatedBy: "<rect").count - 1 == DrainHistory.minutesMax)
            #expect(!page.contains("\(failed[0])"))
        }
    }

    @Test func theOutboxShowsEachMessageAndWhyItWaits() async throws {
        try await PageWorld.run { world in
            let ids = try await world.queue(["a", "b"])
            let page = try await world.page.get("/outbox").body
            for id in ids { #expect(page.contains("id=\"r-\(id)\"")) }
            for text in [
                "iOS syncing · Android created · TypeScript syncing", "the outbox is paused", "<bdi>text</bdi>, ",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            // What it says is nobody's business unless somebody switched it on.
            #expect(!page.contains("<bdi>a</bdi>"))
            #expect(try await world.page.get("/outbox?state=syncing").body.contains("Nothing here matches."))
            #expect(try await world.page.get("/outbox?channel=random").body.contains("Nothing here matches."))
        }
    }

    @Test func theNextPagesLeadThroughEverythingOnce() async throws {
        try await PageWorld.run { world in
            let ids = try await world.queue((0..<45).map { "m\($0)" }).map(\.description)
            for query in ["?limit=20", "?limit=20&order=newest", "?limit=7&channel=general", "?limit=20&state=created"]
            {
                var path: String? = "/outbox" + query
                var seen: [String] = []
                while let next = path {
                    let page = try await world.page.get(next).body
                    seen += page.matches(of: /<tr id="r-([^"]+)"/).map { String($0.1) }
                    path = page.firstMatch(of: /href="([^"]+)" rel="next"/).map {
                        String($0.1).replacing("&amp;", with: "&")
                    }
                }
                #expect(seen == (query.contains("newest") ? ids.reversed() : ids), "\(query)")
            }
        }
    }

    @Test func aMessageTellsItsStory() async throws {
        try await PageWorld.run { configuration in
            configuration.showsBodies = true
        } _: { world in
            let id = try #require(try await world.fail(["the words of it"], detail: "no such channel").first)
            let page = try await world.page.get("/messages/\(id)").body
            for text in [
                "Created", "Sent to the server", "Given up", "Last error", "refused by the server: no such channel",
                "the words of it",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            #expect(page.contains("id=\"resend\"") && page.contains("id=\"delete\""))
            let unknown = try await world.page.get("/messages/0190a6b2-1c3d-7e4f-8a5b-000000000001")
            #expect(unknown.status == 404)
            let found = try await world.page.get("/messages?q=\(id)")
            #expect(found.status == 303)
            #expect(found.field("Location") == "/messages/\(id)")
            #expect(try await world.page.get("/messages?q=general").body.contains("id=\"r-\(id)\""))
            #expect(try await world.page.get("/messages?q=no%20name").status == 400)
        }
    }

    @Test func anActionAsksFirstAndSaysWhatItDid() async throws {
        try await PageWorld.run { world in
            let ids = try await world.fail(["a", "b", "c"])
            let question = try await world.page.get("/confirm?do=resend&id=\(ids[0])&id=\(ids[1])")
            #expect(question.body.contains("Resend 2 messages?"))
            for id in ids.prefix(2) { #expect(question.body.contains("name=\"id\" value=\"\(id)\"")) }
            let secret = try await world.formSecret()
            world.remote.set(.working)
            let done = try await world.page.post(
                "/actions", "csrf=\(secret)&do=resend&id=\(ids[0])&id=\(ids[1])")
            #expect(done.status == 303)
            let told = try await world.page.get(try #require(done.field("Location")))
            #expect(told.body.contains("2 messages were put back into the queue."))
            for id in ids.prefix(2) {
                #expect(try await world.service.result(of: id, within: .seconds(20)).outcome == .delivered)
            }
            // A second click finds nothing to do, and says so.
            let again = try await world.page.post("/actions", "csrf=\(secret)&do=resend&id=\(ids[0])")
            #expect(
                try await world.page.get(try #require(again.field("Location"))).body.contains("Nothing was put back"))
            let all = try await world.page.post("/actions", "csrf=\(secret)&do=delete-all")
            #expect(
                try await world.page.get(try #require(all.field("Location"))).body.contains("1 message was deleted."))
            let list = try await world.page.get("/delete-actions").body
            #expect(list.contains("status page") && list.contains("title=\"\(ids[2])\""))
            #expect(!(try await world.page.get("/failed?notice=made-up").body.contains("role=\"status\"><p>")))
        }
    }

    @Test func theSameAsJSONWithoutBodies() async throws {
        try await PageWorld.run { world in
            let id = try #require(try await world.fail(["secret words"]).first)
            let paths = ["/api/outbox", "/api/failed", "/api/messages?channel=general", "/api/messages/\(id)"]
            for path in paths {
                let answer = try await world.page.get(path)
                #expect(answer.field("Content-Type") == "application/json")
                #expect(answer.body.contains("\(id)") && !answer.body.contains("secret words"), "\(path)")
            }
            let overview = try JSONDecoder().decode(
                ActivityForm.self, from: Data(try await world.page.get("/api/overview").body.utf8))
            #expect(overview.status.counts.error == 1)
            #expect(try await world.page.get("/healthz").body == #"{"status":"ok"}"#)
            #expect(try await world.page.get("/api/nothing").body.contains(#""error""#))
            let unknown = try await world.page.get("/api/messages/0190a6b2-1c3d-7e4f-8a5b-000000000001")
            #expect(unknown.status == 404)
            #expect(unknown.field("Content-Type") == "application/json")
        }
    }

    /// However long the lists are: a page asks for its own rows and a few look-ups.
    @Test func aPageAsksForNoMoreThanItShows() async throws {
        let counting = Mutex<CountingService?>(nil)
        let count: @Sendable (any ControlService) -> any ControlService = { service in
            let counter = CountingService(service)
            counting.withLock { $0 = counter }
            return counter
        }
        try await PageWorld.run(asked: count) { world in
            let counter = try #require(counting.withLock { $0 })
            _ = try await world.fail(["x"])
            _ = try await world.queue((0..<300).map { "m\($0)" })
            for path in ["/", "/outbox", "/failed", "/delete-actions", "/messages?q=general", "/outbox?limit=200"] {
                counter.forget()
                #expect(try await world.page.get(path).status == 200)
                let asked = counter.asked
                #expect(asked.count <= 2, "\(path): \(asked)")
                let rows = path.contains("limit=200") ? 200 : StatusPageLimits.rowsDefault
                #expect(asked.allSatisfy { $0.rows <= rows }, "\(path): \(asked)")
            }
        }
    }

    @Test func twoHundredAtOnceAreAnswered() async throws {
        try await PageWorld.run { world in
            _ = try await world.queue((0..<60).map { "m\($0)" })
            let paths = ["/", "/outbox", "/failed", "/api/overview"]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 { group.addTask { try await world.page.get(paths[number % 4]).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count == 200)
            #expect(statuses.allSatisfy { $0 == 200 })
        }
    }
}
