import Causeway
import CausewayStatusPage
import Testing

/// The lifetime of a login.
@Suite struct SessionTests {
    private static let idle = Duration.seconds(2 * 3600)
    private static let whole = Duration.seconds(12 * 3600)
    /// The fields of a request that the page's own script makes by itself.
    private static let script = [
        ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty"),
    ]
    private static let person = [
        ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
    ]

    private static func login(_ page: PageClient) async throws -> PageLogin {
        try PageLogin(try await LoginTests.login(page, PageWorld.token))
    }

    @Test(arguments: [true, false])
    func anOpenTabKeepsNoLoginAlive(isByPerson: Bool) async throws {
        let clock = SetClock()
        try await PageWorld.run(LoginTests.guarded, clock: clock.reading) { world in
            let login = try await Self.login(world.page)
            let (root, cookie) = (login.root, login.field)
            let fields = isByPerson ? Self.person : Self.script
            for _ in 0..<4 {
                clock.pass(Self.idle / 5)
                for path in ["/", "/api/overview"] {
                    #expect(try await world.page.get(root + path, fields + [cookie]).status == 200)
                }
            }
            clock.pass(Self.idle / 5)
            let answer = try await world.page.get(root + "/", Self.script + [cookie])
            #expect(answer.status == (isByPerson ? 200 : 303))
            let events = try await world.page.send(
                "HEAD", root + "/events", host: world.page.host, Self.script + [cookie])
            #expect(events.status == (isByPerson ? 200 : 401))
        }
    }

    @Test func aLoginEndsAfterItsTimeHoweverMuchItIsUsed() async throws {
        let clock = SetClock()
        try await PageWorld.run(LoginTests.guarded, clock: clock.reading) { world in
            let login = try await Self.login(world.page)
            let (root, cookie) = (login.root, login.field)
            for _ in 0..<11 {
                clock.pass(Self.whole / 12)
                #expect(try await world.page.get(root + "/", [cookie]).status == 200)
            }
            clock.pass(Self.whole / 12)
            #expect(try await world.page.get(root + "/", [cookie]).status == 303)
        }
    }

    @Test func oneLoginTooManyEndsTheOneThatIsUnusedForLongest() async throws {
        let clock = SetClock()
        try await PageWorld.run(LoginTests.guarded, clock: clock.reading) { world in
            let first = try await Self.login(world.page)
            clock.pass(.seconds(1))
            let second = try await Self.login(world.page)
            clock.pass(.seconds(1))
            #expect(try await world.page.get(first.root + "/", [first.field]).status == 200)
            for _ in 0..<StatusPageLimits.sessionsMax - 1 {
                clock.pass(.seconds(1))
                _ = try await Self.login(world.page)
            }
            #expect(try await world.page.get(second.root + "/", [second.field]).status == 303)
            #expect(try await world.page.get(first.root + "/", [first.field]).status == 200)
        }
    }
}
