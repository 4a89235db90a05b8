import Causeway
import CausewayControlAPI
import CausewayHTTPServer
import CausewayStatusPage
import Testing

/// Access to the page.
@Suite struct LoginTests {
    static func guarded(_ configuration: inout StatusPageConfiguration) throws {
        configuration.token = try AccessTokenDigest(PageWorld.token, from: "the test")
    }

    static func loginSecret(_ page: PageClient) async throws -> String {
        let form = try await page.get("/login")
        #expect(form.status == 200)
        return String(try #require(form.body.firstMatch(of: /name="csrf" value="([0-9a-f]+)"/)).1)
    }

    static func login(_ page: PageClient, _ token: String) async throws -> PageClient.Answer {
        try await page.post("/login", "csrf=\(try await loginSecret(page))&token=\(token)")
    }

    @Test func nothingIsShownWithoutALogin() async throws {
        try await PageWorld.run(Self.guarded) { world in
            let id = try #require(try await world.fail(["secret words"]).first)
            let paths = [
                "/", "/outbox", "/failed", "/delete-actions", "/delete-actions.csv", "/messages?q=general",
                "/messages/\(id)", "/confirm?do=delete-all", "/events", "/api/overview", "/api/outbox", "/api/failed",
                "/api/delete-actions", "/api/messages?channel=general", "/api/messages/\(id)",
            ]
            for path in paths {
                let answer = try await world.page.get(path)
                #expect([303, 401].contains(answer.status), "\(path)")
                if answer.status == 303 { #expect(answer.field("Location") == "/login") }
                #expect(!answer.body.contains("general") && !answer.body.contains("/run/s"), "\(path)")
            }
            let forged = try await world.page.post("/actions", "csrf=&do=delete-all")
            #expect(forged.status == 401)
            #expect(try await world.state(id) == "error")
            #expect(try await world.page.get("/healthz").status == 200)
        }
    }

    @Test func theTokenOpensThePageUntilTheLogout() async throws {
        try await PageWorld.run(Self.guarded) { world in
            let id = try #require(try await world.fail(["a"]).first)
            let answer = try await Self.login(world.page, PageWorld.token)
            #expect(answer.status == 303)
            let setting = try #require(answer.field("Set-Cookie"))
            let login = try PageLogin(answer)
            #expect(setting.hasSuffix("; Path=\(login.root)/; HttpOnly; SameSite=Strict"))
            #expect(setting.hasPrefix("causeway-\(world.page.port)="))
            #expect(!login.cookie.contains(PageWorld.token))
            let home = login.root + "/"
            #expect(try await world.page.get(home, [login.field]).status == 200)
            #expect(try await world.page.get(home, [("Cookie", login.cookie + "0")]).status == 303)
            #expect(try await world.page.get(home, [("Cookie", login.cookie + "; " + login.cookie)]).status == 303)

            // The form's secret is the session's own: another session's has no effect.
            let other = try PageLogin(try await Self.login(world.page, PageWorld.token))
            let secret = try await world.csrfToken(login)
            let otherSecret = try await world.csrfToken(other)
            #expect(secret != otherSecret)
            let actions = login.root + "/actions"
            let form = "csrf=\(otherSecret)&do=delete&id=\(id)"
            #expect(try await world.page.post(actions, form, [login.field]).status == 403)
            #expect(try await world.state(id) == "error")
            let right = "csrf=\(secret)&do=delete&id=\(id)"
            #expect(try await world.page.post(actions, right, [login.field]).status == 303)

            let out = try await world.page.post(login.root + "/logout", "csrf=\(secret)", [login.field])
            #expect(out.status == 303)
            #expect(out.field("Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await world.page.get(home, [login.field]).status == 303)
            #expect(try await world.page.get(other.root + "/", [other.field]).status == 200)
        }
    }

    /// The knowledge of another port of the host is not enough: the cookie is sent only to the session's own paths, and
    /// neither it nor a path grants access by itself.
    @Test func theCookieIsForAPathThatNobodyCanGuess() async throws {
        try await PageWorld.run(Self.guarded) { world in
            let login = try PageLogin(try await Self.login(world.page, PageWorld.token))
            let other = try PageLogin(try await Self.login(world.page, PageWorld.token))
            #expect(login.root.wholeMatch(of: /\/s\/[0-9a-f]{64}/) != nil)
            #expect(login.root != other.root)
            #expect(try await world.page.get("/failed", [login.field]).status == 303)
            #expect(try await world.page.get(login.root + "/failed").status == 303)
            #expect(try await world.page.get(other.root + "/failed", [login.field]).status == 303)
            #expect(try await world.page.get(login.root + "/api/failed", [login.field]).status == 200)
            // Every link in a page leads below the same key.
            let page = try await world.page.get(login.root + "/failed", [login.field])
            #expect(page.status == 200)
            for link in page.body.matches(of: /(?:href|action)="(\/[^"]*)"/).map(\.1) {
                #expect(link.hasPrefix(login.root + "/") || link.hasPrefix("/assets/"), "\(link)")
            }
            // Public paths are outside the session's, and so is everything where no login is needed.
            #expect(try await world.page.get(login.root + "/login", [login.field]).status == 404)
            #expect(try await world.page.get(login.root + "/healthz", [login.field]).status == 404)
        }
        try await PageWorld.run { world async throws in
            #expect(try await world.page.get("/s/" + String(repeating: "0", count: 64) + "/failed").status == 404)
        }
    }

    @Test func whoGuessesBesideItDoesNotKeepTheRightTokenOut() async throws {
        let clock = SetClock()
        try await PageWorld.run(Self.guarded, clock: clock.reading) { world in
            var statuses: [Int] = []
            for number in 0..<7 { statuses.append(try await Self.login(world.page, "wrong-token-\(number)").status) }
            #expect(statuses == [403, 403, 403, 403, 403, 429, 429])
            let late = try await Self.login(world.page, "wrong-token-8")
            #expect(late.field("Retry-After") == "20")
            #expect(late.field("Set-Cookie") == nil)
            #expect(try await Self.login(world.page, PageWorld.token).status == 303)
            clock.pass(.seconds(20))
            #expect(try await Self.login(world.page, "wrong-token-9").status == 403)
        }
    }

    @Test func tokensAreJudgedOneAfterTheOther() {
        var pace = LoginPace(interval: .milliseconds(10), waitingMax: 8, waitingPerPeerMax: 8)
        let start = MonotonicTime.zero + .seconds(1000)
        let turns = (0..<3).map { _ in pace.turn(of: "a", at: start) }
        #expect(turns == [Duration.zero, .milliseconds(10), .milliseconds(20)])
        let fourth = pace.turn(of: "b", at: start + .milliseconds(25))
        #expect(fourth == Duration.milliseconds(5))
        // Time without requests is not accumulated.
        let later = start + .seconds(5)
        let laterTurns = (0..<2).map { _ in pace.turn(of: "a", at: later) }
        #expect(laterTurns == [Duration.zero, .milliseconds(10)])
    }

    /// A peer that sends tokens faster than they are checked, and goes, neither takes all turns nor delays later ones.
    @Test func aFloodOfTokensIsRefusedAndDelaysNobodyForLong() {
        var pace = LoginPace(interval: .milliseconds(10), waitingMax: 4, waitingPerPeerMax: 3)
        let start = MonotonicTime.zero + .seconds(1000)
        let flood = (0..<100).map { _ in pace.turn(of: "a", at: start) }
        #expect(flood.count { $0 != nil } == 3)
        let other = pace.turn(of: "b", at: start)
        #expect(other == Duration.milliseconds(30))
        let tooMany = pace.turn(of: "c", at: start)
        #expect(tooMany == nil)
        // A turn that is over makes room for another one, of any peer below its own limit.
        let soon = start + .milliseconds(1)
        pace.end(of: "a")
        let next = pace.turn(of: "a", at: soon)
        #expect(next == Duration.milliseconds(39))
        pace.end(of: "b")
        pace.end(of: "b")
        let again = pace.turn(of: "a", at: soon)
        #expect(again == nil)
        let third = pace.turn(of: "c", at: soon)
        #expect(third == Duration.milliseconds(49))
        let full = pace.turn(of: "d", at: soon)
        #expect(full == nil)
    }

    /// Everyone on the machine can reach a page without a token.
    @Test func withoutATokenThePageOnlyShows() async throws {
        try await PageWorld.run {
            $0.allowsChanges = false
        } _: { world in
            let id = try #require(try await world.fail(["a"]).first)
            for path in ["/failed", "/messages/\(id)"] {
                let page = try await world.page.get(path)
                #expect(page.status == 200 && page.body.contains("\(id)"))
                #expect(!page.body.contains("/confirm") && !page.body.contains("checkbox"), "\(path)")
            }
            #expect(try await world.page.get("/confirm?do=delete-all").status == 403)
            for action in ["delete&id=\(id)", "resend&id=\(id)", "delete-all", "resend-all"] {
                let answer = try await world.page.post("/actions", "csrf=&do=\(action)")
                #expect(answer.status == 403 && answer.body.contains("<h1>Read-only</h1>"), "\(action)")
            }
            #expect(try await world.state(id) == "error")
        }
        // Changes require the setting, or a login.
        #expect(!StatusPageConfiguration(socket: "/s").allowsChanges)
    }

    @Test func aLoginIsAskedForByThePagesOwnForm() async throws {
        try await PageWorld.run(Self.guarded) { world in
            let secret = try await Self.loginSecret(world.page)
            let form = "csrf=\(secret)&token=\(PageWorld.token)"
            let foreign = PageClient.formFields("http://evil.example")
            #expect(try await world.page.send("POST", "/login", host: world.page.host, foreign, form).status == 403)
            #expect(try await world.page.post("/login", "token=\(PageWorld.token)").status == 403)
            #expect(try await world.page.get("/login?" + form).field("Set-Cookie") == nil)
        }
    }

    @Test(arguments: ["", "short", "fifteen-letters", "with a space in the middle of it", "umlaut-ä-is-not-ascii-text"])
    func aTokenThatCanBeGuessedIsRefused(text: String) {
        #expect {
            try AccessTokenDigest(text, from: "the file")
        } throws: { error in
            let error = error as? ControlError
            return error?.code == .configuration && (text.isEmpty || error?.detail.contains(text) == false)
        }
    }

    @Test func beyondLoopbackEverythingIsNeeded() throws {
        let open = ListenAddress(host: "0.0.0.0", port: 8585)
        let identity = StatusPageConfiguration.Identity(certificateChainPath: "/c", privateKeyPath: "/k")
        let token = try AccessTokenDigest(PageWorld.token, from: "the test")
        let origin = try #require(WebOrigin("https://status.example:8585"))
        let whole = StatusPageConfiguration(
            listen: open, origins: [origin], token: token, identity: identity, socket: "/s")
        try whole.check()
        var lacking = [whole, whole, whole]
        lacking[0].token = nil
        lacking[1].identity = nil
        lacking[2].origins = []
        for configuration in lacking { #expect(throws: ControlError.self) { try configuration.check() } }
        var renamed = StatusPageConfiguration(origins: [origin], socket: "/s")
        #expect(throws: ControlError.self) { try renamed.check() }
        renamed.token = token
        try renamed.check()
        try StatusPageConfiguration(socket: "/s").check()

        // No token and no cookie over a connection that others can read.
        let plain = try #require(WebOrigin("http://status.example"))
        let loopback = try #require(WebOrigin("http://localhost:8585"))
        var unsafe = [renamed, whole, whole]
        unsafe[0].origins = [plain]
        unsafe[1].origins = [origin, plain]
        unsafe[2].origins = [origin, loopback]
        for configuration in unsafe { #expect(throws: ControlError.self) { try configuration.check() } }
        renamed.origins = [loopback]
        try renamed.check()
    }

    @Test(arguments: [
        ("https://status.example", "https://status.example", false),
        ("HTTPS://Status.Example:443", "https://status.example", false),
        ("http://localhost:8585", "http://localhost:8585", true), ("http://[::1]:8585", "http://[::1]:8585", true),
        ("http://127.0.0.1:80", "http://127.0.0.1", true),
        ("http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example", false),
    ])
    func originsAreRead(text: String, origin: String, isLoopback: Bool) {
        let read = WebOrigin(text)
        #expect(read?.description == origin)
        #expect(read?.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", "status.example", "ftp://x", "https://", "https://a/b", "https://a?b", "https://u@a", "https://a b",
        "https://:1", "https://a:",
    ])
    func whatIsNoOriginIsNone(text: String) { #expect(WebOrigin(text) == nil) }
}
