import Causeway
import CausewayControlAPI
import CausewayControlServer
import CausewayHTTPServer
import CausewayScriptedWorld
import CausewayStatusPage
import CausewayTestSupport
import Foundation
import Synchronization
import Testing

/// The content of the pages.
@Suite struct PageTests {
    @Test func theOverviewSaysHowThingsStand() async throws {
        try await PageWorld.run { world in
            let failed = try await world.fail(["a"])
            world.remote.set(.working)
            let sent = try await world.service.send([OutgoingMessage(channel: world.general, text: "b")]).ids
            _ = try await world.result(of: sent[0])
            let queued = try await world.queue(["c", "d"])
            try await Eventually.holds("the lane is there") { try await world.service.status().lanes.first?.depth == 2 }
            let page = try await world.page.get("/").body
            for text in [
                "<dd><bdi>ann</bdi></dd>", "The outbox is paused.", "<b>2</b>waiting (created)",
                "<b>1</b>failed (error)", "<b>1</b>delivered in this run", "1 message in the last hour",
                "scripted/1", "href=\"/messages/\(queued[0])\"", "<code>/store</code>", "<code>/run/s</code>",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            #expect(page.components(separatedBy: "<rect").count - 1 == DeliveryHistogram.minutesMax)
            #expect(!page.contains("\(failed[0])"))
        }
    }

    @Test func theOverviewCountsWhatWaitsForAFailedMessageAsBlocked() async throws {
        try await PageWorld.run { world in
            let failed = try await world.fail(["a"])
            let reply = OutgoingMessage(channel: world.general, text: "b", parent: failed[0])
            _ = try await world.service.send([reply])
            let page = try await world.page.get("/").body
            for text in [
                "<b>0</b>waiting (created)", "<b>1</b>blocked by failed ones", "<b>1</b>failed (error)",
                "No messages are waiting in a lane; 1 failed. "
                    + "1 message blocked by it: resend or delete what failed.",
            ] {
                #expect(page.contains(text), "\(text)")
            }
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
            // Message texts are hidden by default.
            #expect(!page.contains("<bdi>a</bdi>"))
            #expect(try await world.page.get("/outbox?state=syncing").body.contains("No message matches."))
            #expect(try await world.page.get("/outbox?channel=random").body.contains("No message matches."))
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
                "Created", "Sent to the server", "Failed permanently", "Last error",
                "refused by the server: no such channel",
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
            let secret = try await world.csrfToken()
            world.remote.set(.working)
            let done = try await world.page.post(
                "/actions", "csrf=\(secret)&do=resend&id=\(ids[0])&id=\(ids[1])")
            #expect(done.status == 303)
            let told = try await world.page.get(try #require(done.field("Location")))
            #expect(told.body.contains("2 messages were put back into the queue."))
            let reloaded = try await world.page.get(try #require(done.field("Location")))
            #expect(reloaded.status == 200 && !reloaded.body.contains("2 messages were put back"))
            for id in ids.prefix(2) {
                #expect(try await world.result(of: id).outcome == .delivered)
            }
            // A second click finds nothing to do, and the page reports that.
            let again = try await world.page.post("/actions", "csrf=\(secret)&do=resend&id=\(ids[0])")
            #expect(
                try await world.page.get(try #require(again.field("Location"))).body.contains("Nothing was put back"))
            let all = try await world.page.post("/actions", "csrf=\(secret)&do=delete-all")
            #expect(
                try await world.page.get(try #require(all.field("Location"))).body.contains("1 message was deleted."))
            let list = try await world.page.get("/delete-actions").body
            #expect(list.contains("status page") && list.contains("<span class=\"id\">\(ids[2])</span>"))
            #expect(!(try await world.page.get("/failed?notice=made-up").body.contains("role=\"status\"><p>")))
        }
    }

    /// The message's record in the store cannot be read any more.
    @Test func aDamagedMessageIsShownAndDeleted() async throws {
        try await PageWorld.run { world in
            try await world.service.setPaused(true)
            let ids = try await world.service.send([
                OutgoingMessage(channel: world.general, text: "well"),
                OutgoingMessage(channel: world.general, text: "damaged"),
            ]).ids
            world.store.damage(ids[1])
            #expect(try await world.page.get("/outbox").status == 200)
            try await world.service.setPaused(false)
            #expect(try await world.result(of: ids[1]).outcome == .failed)
            #expect(try await world.page.get("/failed").body.contains("\(ids[1])"))
            #expect(try await world.page.get("/messages/\(ids[1])").status == 200)
            let secret = try await world.csrfToken()
            let done = try await world.page.post("/actions", "csrf=\(secret)&do=delete&id=\(ids[1])")
            #expect(
                try await world.page.get(try #require(done.field("Location"))).body.contains("1 message was deleted."))
            #expect(try await world.result(of: ids[0]).outcome == .delivered)
        }
    }

    @Test func whatWasDeletedIsSaidWhereItIsLookedUp() async throws {
        try await PageWorld.run { world in
            let ids = try await world.fail(["a", "b"])
            _ = try await world.service.delete([ids[0]], by: .cli)
            let answer = try await world.page.get("/messages/\(ids[0])")
            #expect(answer.status == 404)
            #expect(answer.body.contains("The message \(ids[0]) was deleted on 20"))
            #expect(answer.body.contains("by CLI."))
            // The question is not asked again, either.
            let question = try await world.page.get("/confirm?do=delete&id=\(ids[0])")
            #expect(question.status == 404)
            #expect(question.body.contains("None of these messages exists any longer."))
            let secret = try await world.csrfToken()
            let done = try await world.page.post(
                "/actions", "csrf=\(secret)&do=delete&id=\(ids[0])&id=\(ids[1])")
            let told = try await world.page.get(try #require(done.field("Location")))
            #expect(told.body.contains("1 message was deleted. 1 of the selected no longer exists."))
            let short = try await world.page.get("/messages?q=%E2%80%A6\(ids[0].description.suffix(12))")
            #expect(short.status == 400)
            #expect(short.body.contains("This is a shortened id."))
        }
    }

    @Test func onesOwnPlaceIsKept() async throws {
        try await PageWorld.run { world in
            let id = try #require(try await world.fail(["a"]).first)
            let page = try await world.page.get("/messages/\(id)").body
            let link = try #require(page.firstMatch(of: /href="([^"]+)" id="resend"/))
            let question = try await world.page.get(String(link.1).replacing("&amp;", with: "&")).body
            #expect(question.contains("href=\"/messages/\(id)\" id=\"no\""))
            let secret = try await world.csrfToken()
            try await world.service.setPaused(true)
            let done = try await world.page.post("/actions", "csrf=\(secret)&do=resend&from=message&id=\(id)")
            let place = try #require(done.field("Location"))
            #expect(place.hasPrefix("/messages/\(id)?notice="))
            #expect(try await world.page.get(place).body.contains("1 message was put back into the queue."))
            // Any other value of `from` leads nowhere else.
            let other = try await world.page.get("/confirm?do=resend&id=\(id)&channel=general&from=//evil.example").body
            #expect(other.contains("href=\"/failed?channel=general\" id=\"no\""))
            #expect(!other.contains("evil.example"))
        }
    }

    @Test func noLaneIsNotNothingToDo() async throws {
        try await PageWorld.run { world in
            let all = "Every lane is empty: all messages are on the server."
            #expect(try await world.page.get("/").body.contains(all))
            let ids = try await world.fail(["a", "b"])
            try await Eventually.holds("no lane is left") { try await world.service.status().lanes.isEmpty }
            let page = try await world.page.get("/").body
            #expect(page.contains("No messages are waiting in a lane; 2 failed.") && !page.contains(all))
            _ = try await world.service.delete(ids, by: .cli)
        }
    }

    @Test func anUploadShowsItsBytes() async throws {
        try await Self.answering { world, double in
            let id = try await world.queue(["a"])[0]
            let wait = WaitReason.uploading(sent: 1_500_000, total: 4_000_000)
            let uploading: @Sendable (MessageDTO) -> MessageDTO = { message in
                var message = message
                message.wait = WaitReasonDTO(wait)
                message.waitText = wait.description
                return message
            }
            double.answers.message = uploading
            double.answers.outbox = { list in MessageListResponse(list.messages.map(uploading), next: nil) }
            for path in ["/outbox", "/messages/\(id)"] {
                let page = try await world.page.get(path).body
                #expect(page.contains("uploading its attachment: 1.5 MB of 4.0 MB"), "\(path)")
            }
        }
    }

    /// For a channel and a state together, a page may be empty although there is a next one.
    @Test func anEmptyPageBeforeOthersSaysSo() async throws {
        try await Self.answering { world, double in
            double.answers.outbox = { _ in
                MessageListResponse([], next: MessageCursor(position: .max, ordinal: 5))
            }
            let page = try await world.page.get("/outbox?channel=general&state=syncing").body
            #expect(page.contains("No match among the first few thousand messages; continue with Next page."))
            #expect(page.contains("rel=\"next\"") && !page.contains("No message matches."))
        }
    }

    @Test(arguments: [
        (ControlError.Code.busy, 503, "The daemon is busy"),
        (.daemonUnreachable, 503, "The daemon does not respond"), (.storeFailed, 500, "The daemon refused the request"),
    ])
    func whatIsWrongHasItsOwnWords(code: ControlError.Code, status: Int, title: String) async throws {
        try await Self.answering { world, double in
            double.answers.problem = ControlError(code, "the reason")
            let page = try await world.page.get("/outbox")
            #expect(page.status == status)
            #expect(page.body.contains("<h1>\(title)</h1>") && page.body.contains("the reason"))
            // Without a script the browser reloads the page by itself.
            #expect(page.body.contains("http-equiv=\"refresh\"") == (status == 503))
            let json = try await world.page.get("/api/outbox")
            #expect(json.status == status)
            let problem = try JSONDecoder().decode(ErrorResponse.self, from: Data(json.body.utf8))
            #expect(problem.error.error == ControlError(code, "the reason"))
        }
    }

    /// Fetched page by page. That it may take longer than one response, as long as it progresses:
    /// `ConnectionGuardTests`.
    @Test func aLongExportIsNotCut() async throws {
        try await Self.answering { world, double in
            let ids = try await world.fail(["a"])
            _ = try await world.service.delete(ids, by: .cli)
            let one = try await world.service.deleteActions(limit: 1, before: nil).actions
            double.answers.deletions = { before throws(ControlError) in
                let place = before ?? 10
                return DeleteActionListResponse(one, next: place > 1 ? place - 1 : nil)
            }
            let answer = try await world.page.get("/delete-actions.csv")
            #expect(answer.body.components(separatedBy: "\r\n").count == 12)
        }
    }

    /// Runs `body` with a daemon whose responses can be changed.
    static func answering(
        _ change: (inout StatusPageConfiguration) throws -> Void = { _ in },
        _ body: @Sendable (PageWorld, CountingService) async throws -> Void
    ) async throws {
        let counting = Mutex<CountingService?>(nil)
        let count: @Sendable (any ControlService) -> any ControlService = { service in
            let counter = CountingService(service)
            counting.withLock { $0 = counter }
            return counter
        }
        try await PageWorld.run(change, asked: count) { world in
            try await body(world, try #require(counting.withLock { $0 }))
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
                ActivityResponse.self, from: Data(try await world.page.get("/api/overview").body.utf8))
            #expect(overview.status.counts.error == 1)
            #expect(try await world.page.get("/healthz").body == #"{"status":"ok"}"#)
            #expect(try await world.page.get("/api/nothing").body.contains(#""error""#))
            let unknown = try await world.page.get("/api/messages/0190a6b2-1c3d-7e4f-8a5b-000000000001")
            #expect(unknown.status == 404)
            #expect(unknown.field("Content-Type") == "application/json")
        }
    }

    /// A preview is content: a reader of the page must not see the picture that the message brings.
    @Test(arguments: [false, true])
    func previewsAreShownWithBodiesOnly(showsBodies: Bool) async throws {
        let file =
            #"{"name":"photo.jpg","contentType":"image/jpeg","size":1,"sha256":"00","preview":"c2VjcmV0"}"#
        let withFile: @Sendable (MessageDTO) -> MessageDTO = { message in
            var message = message
            message.attachment = Self.decoded(file)
            return message
        }
        try await Self.answering { configuration in
            configuration.showsBodies = showsBodies
        } _: { world, double in
            let id = try #require(try await world.fail(["a"]).first)
            double.answers.message = withFile
            double.answers.outbox = { $0.mapMessages(withFile) }
            for path in ["/api/outbox", "/api/failed", "/api/messages?channel=general", "/api/messages/\(id)"] {
                let answer = try await world.page.get(path).body
                #expect(answer.contains("photo.jpg"), "\(path)")
                #expect(answer.contains("c2VjcmV0") == showsBodies, "\(path)")
            }
        }
    }

    private static func decoded<Value: Decodable>(_ text: String) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    /// However long the lists are: a page requests only its own rows and a few look-ups.
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
