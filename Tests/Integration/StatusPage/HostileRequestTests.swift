import Causeway
import CausewayHTTPServer
import CausewayStatusPage
import Synchronization
import Testing

/// Requests that are too large, too slow, or spelt unusually.
@Suite struct HostileRequestTests {
    @Test func whatIsTooLargeIsRefused() async throws {
        try await PageWorld.run { world in
            let page = world.page
            let long = String(repeating: "a", count: StatusPageLimits.headerBytesMax)
            #expect(try await page.get("/", [("X-Long", long)]).status == 431)
            let many = (0...StatusPageLimits.headerFieldsMax).map { ("X-\($0)", "y") }
            #expect(try await page.get("/", many).status == 431)
            #expect(try await page.get("/outbox?channel=" + String(repeating: "a", count: 129)).status == 400)
            let secret = try await world.csrfToken()
            let form = "csrf=\(secret)&do=delete-all&x=" + String(repeating: "a", count: StatusPageLimits.formBytesMax)
            #expect(try await page.post("/actions", form).status == 413)
            let chunk = "10000\r\n" + String(repeating: "a", count: 0x10000) + "\r\n"
            let head =
                "POST /actions HTTP/1.1\r\nHost: \(page.host)\r\nTransfer-Encoding: chunked\r\n"
                + PageClient.formFields(page.address).map { "\($0): \($1)\r\n" }.joined() + "Connection: close\r\n\r\n"
            #expect(try await page.raw(head + chunk + chunk + "0\r\n\r\n").status == 413)
            let fields = String(repeating: "&a=b", count: StatusPageLimits.formFieldsMax + 1)
            #expect(try await page.post("/actions", "csrf=\(secret)" + fields).status == 400)
            let ids = String(
                repeating: "&id=0190a6b2-1c3d-7e4f-8a5b-000000000001", count: StatusPageLimits.chosenMax + 1)
            #expect(try await page.post("/actions", "csrf=\(secret)&do=delete" + ids).status == 400)
        }
    }

    private static func impatient(_ configuration: inout StatusPageConfiguration) {
        configuration.connections.firstHeader = .milliseconds(200)
        configuration.connections.body = .milliseconds(200)
        // Only the deadline under test may end the connection.
        configuration.connections.idle = .seconds(3600)
        configuration.connections.response = .seconds(3600)
    }

    /// Each returns only because the page closes the connection.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "", "GET / HTTP/1.1\r\nHost:", "POST /actions HTTP/1.1\r\n%fieldsContent-Length: 9\r\n\r\na",
        ])
    func whatNeverEndsIsCutOff(beginning: String) async throws {
        try await PageWorld.run(Self.impatient) { world in
            let answer = try await world.page.raw(beginning.replacing("%fields", with: Self.fields(world.page)))
            #expect(answer.status == 0)
        }
    }

    /// A byte now and then is not progress.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "GET / HTTP/1.1\r\nHost: ", "POST /actions HTTP/1.1\r\n%fieldsContent-Length: 9000000\r\n\r\n",
        ])
    func whatDripsIsCutOff(beginning: String) async throws {
        try await PageWorld.run(Self.impatient) { world in
            let bytes = beginning.replacing("%fields", with: Self.fields(world.page))
            let answer = try await world.page.drip(bytes, everyMilliseconds: 20)
            #expect(answer.status == 0 || answer.status == 413)
        }
    }

    /// Returns only because the page closes the connection. On a very busy machine even the first request may exceed a
    /// short limit; then a longer one is tried.
    @Test func aSecondRequestThatNeverEndsIsCutOff() async throws {
        for idle in [Duration.milliseconds(300), .seconds(3), .seconds(30), .seconds(300)] {
            let status = Mutex(0)
            try await PageWorld.run { configuration in
                Self.impatient(&configuration)
                configuration.connections.firstHeader = .seconds(3600)
                configuration.connections.idle = idle
            } _: { world in
                let first = "GET /healthz HTTP/1.1\r\nHost: \(world.page.host)\r\n\r\n"
                let answer = try await world.page.raw(first + "GET / HTTP/1.1\r\nHost:")
                status.withLock { $0 = answer.status }
            }
            if status.withLock({ $0 }) == 200 { return }
        }
        Issue.record("the first request was never answered")
    }

    /// The fields that a browser sends with a form of the page.
    private static func fields(_ page: PageClient) -> String {
        "Host: \(page.host)\r\n" + PageClient.formFields(page.address).map { "\($0): \($1)\r\n" }.joined()
    }

    @Test func aRequestNamesOneHost() async throws {
        try await PageWorld.run { world in
            let page = world.page
            for host in [page.host, "evil.example"] {
                let answer = try await page.get("/", [("Host", host)])
                #expect(answer.status == 400, "\(host)")
            }
        }
    }

    @Test func whatMayBeReadMayBeAskedForByHEAD() async throws {
        try await PageWorld.run { world in
            let id = try #require(try await world.fail(["a"]).first)
            let paths = [
                "/", "/outbox", "/failed", "/delete-actions", "/delete-actions.csv", "/messages", "/messages/\(id)",
                "/confirm?do=delete-all", "/login", "/events", "/healthz", "/api/overview", "/api/outbox",
                "/api/failed",
                "/api/delete-actions", "/api/messages?channel=general", "/api/messages/\(id)", "/assets/page.css",
                "/assets/page.js", "/assets/icon.svg",
            ]
            for path in paths {
                let answer = try await world.page.send("HEAD", path, host: world.page.host, [])
                #expect(answer.status == (path == "/login" ? 303 : 200), "\(path)")
                #expect(answer.body.isEmpty, "\(path)")
                #expect(answer.field("Content-Security-Policy") != nil)
            }
            // A response without a body takes no listener's slot.
            for _ in 0...StatusPageLimits.listenersMax {
                #expect(try await world.page.send("HEAD", "/events", host: world.page.host, []).status == 200)
            }
            #expect(try await world.page.firstEvent() == "up")
        }
    }

    @Test(arguments: [
        "//", "/./", "/../", "/%2e%2e/failed", "/failed/", "//failed", "/failed//", "/./failed", "/x/../failed",
        "/failed%00", "/%66ailed", "/FAILED", "/failed;a=b", "/failed%2f", "/assets/../failed",
        "/assets/%2e%2e%2fpage.css",
        "/assets/", "/assets/layout.mustache", "/messages/", "/messages/1", "/messages/../failed", "/api", "/api/",
        "/etc/passwd", "/.git/config", "/index.html", "*", "failed",
        "/messages/0190a6b2-1c3d-7e4f-8a5b-00000000000%31", "/messages/not-a-uuid-but-36-characters-long-ok",
    ])
    func onlyThePlainSpellingOfAPathCounts(target: String) async throws {
        try await PageWorld.run { world in
            let status = try await world.page.get(target).status
            #expect(status == 404 || status == 400 || status == 421, "\(status)")
        }
    }

    @Test func actionsAreNotAskedForByGET() async throws {
        try await PageWorld.run { world in
            let ids = try await world.fail(["a", "b"])
            let secret = try await world.csrfToken()
            for path in ["/actions", "/logout"] {
                for method in ["GET", "HEAD"] {
                    let query = "?do=delete-all&csrf=\(secret)"
                    let answer = try await world.page.send(
                        method, path + query, host: world.page.host, PageClient.formFields(world.page.address))
                    #expect(answer.status == 405)
                    #expect(answer.field("Allow") == "POST")
                }
            }
            #expect(try await world.page.get("/confirm?do=delete-all&csrf=\(secret)").status == 200)
            for id in ids { #expect(try await world.state(id) == "error") }
        }
    }

    @Test(arguments: [
        "do=delete-all", "csrf=%csrf&do=nothing", "csrf=%csrf", "csrf=%csrf&do=delete", "csrf=%csrf&do=delete&id=x",
        "csrf=%csrf&csrf=%csrf&do=delete-all", "csrf=%csrf&do=delete-all&channel=a%20b", "csrf=%csrf&do=%ff",
        "csrf=%csrf&do=delete-all&do=delete-all",
        "csrf=%csrf&do=delete-all&channel=random&channel=other", "%zz=1", "csrf=%csrf&do=DELETE-ALL",
    ])
    func aFormThatSaysNothingClearChangesNothing(form: String) async throws {
        try await PageWorld.run { world in
            let id = try #require(try await world.fail(["a"]).first)
            let text = form.replacing("%csrf", with: try await world.csrfToken())
            let status = try await world.page.post("/actions", text).status
            #expect(status == 400 || status == 403)
            #expect(try await world.state(id) == "error")
        }
    }

    @Test func whatIsNoHTTPIsAnsweredInPlainWords() async throws {
        try await PageWorld.run { world in
            let answer = try await world.page.raw("GARBAGE\r\n\r\n")
            #expect(answer.status == 400)
            #expect(answer.field("X-Content-Type-Options") == "nosniff")
            #expect(answer.body == "The request is not HTTP/1.1.\n")
        }
    }

    @Test func twoOriginsAreNone() async throws {
        try await PageWorld.run { world in
            let id = try #require(try await world.fail(["a"]).first)
            let secret = try await world.csrfToken()
            let answer = try await world.page.post(
                "/actions", "csrf=\(secret)&do=delete&id=\(id)", [("Origin", world.page.address)])
            #expect(answer.status == 403)
            #expect(try await world.state(id) == "error")
        }
    }

    @Test func everyAnswerCarriesWhatBrowsersMustKnow() async throws {
        try await PageWorld.run { world in
            let answers = [
                try await world.page.get("/"), try await world.page.get("/nowhere"),
                try await world.page.get("/api/overview"), try await world.page.get("/assets/page.js"),
                try await world.page.send("GET", "/", host: "evil.example", []),
                try await world.page.post("/actions", "x=y"), try await world.page.get("/delete-actions.csv"),
            ]
            for answer in answers {
                let policy = try #require(answer.field("Content-Security-Policy"))
                #expect(policy.contains("default-src 'none'"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(answer.field("X-Content-Type-Options") == "nosniff")
                #expect(answer.field("X-Frame-Options") == "DENY")
                #expect(answer.field("Referrer-Policy") == "same-origin")
                #expect(answer.field("Server") == nil)
                // Nothing inline, which the policy would have to allow.
                #expect(!answer.body.contains("style=") && !answer.body.contains("onclick"))
            }
        }
    }
}
