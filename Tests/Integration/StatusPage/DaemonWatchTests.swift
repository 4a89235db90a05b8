import Causeway
import CausewayControlAPI
import CausewayControlServer
import CausewayStatusPage
import CausewayTestSupport
import Logging
import Synchronization
import Testing

/// The news that browsers receive about the daemon, and their frequency.
@Suite struct DaemonWatchTests {
    /// Runs a watch over streams that `watching` makes, while `body` runs.
    private static func run(
        _ watching: @escaping @Sendable () -> AsyncThrowingStream<ActivityResponse, any Error>,
        _ body: @Sendable (DaemonWatch, LineKeeper) async throws -> Void
    ) async throws {
        try await PageWorld.run { world in
            let double = CountingService(world.service)
            double.answers.watch = watching
            let lines = LineKeeper()
            let watch = DaemonWatch(double, logger: Logger(label: "watch") { _ in lines })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await watch.run() }
                try await body(watch, lines)
                group.cancelAll()
                _ = await group.nextResult()
            }
        }
    }

    @Test func anOutageIsToldOnceAndLoggedOnce() async throws {
        let asked = Mutex(0)
        try await Self.run {
            asked.withLock { $0 += 1 }
            return AsyncThrowingStream { $0.finish(throwing: ControlError(.daemonUnreachable, "gone")) }
        } _: { watch, lines in
            try await Eventually.holds("it is looked for") { asked.withLock { $0 } >= 2 }
            let news = try #require(watch.news())
            let told = Task { await news.reduce(into: [DaemonWatch.News]()) { $0.append($1) } }
            try await Eventually.holds("it is looked for several times") { asked.withLock { $0 } >= 5 }
            told.cancel()
            #expect(await told.value == [.down])
            #expect(lines.all == ["warning: daemon unreachable"])
        }
    }

    @Test func aReturnIsToldAndLogged() async throws {
        let form = Mutex<ActivityResponse?>(nil)
        let hold = Mutex<[AsyncThrowingStream<ActivityResponse, any Error>.Continuation]>([])
        try await PageWorld.run { world in
            let activity = try await world.service.activity()
            form.withLock { $0 = activity }
        }
        try await Self.run {
            guard let form = form.withLock({ $0 }) else {
                return AsyncThrowingStream { $0.finish() }
            }
            return AsyncThrowingStream { continuation in
                continuation.yield(form)
                hold.withLock { $0.append(continuation) }
            }
        } _: { watch, lines in
            try await Eventually.holds("it is there") { lines.all == ["notice: daemon connected"] }
            for stream in hold.withLock({ $0 }) { stream.finish(throwing: ControlError(.daemonUnreachable, "gone")) }
            try await Eventually.holds("it is there again") {
                lines.all == [
                    "notice: daemon connected", "warning: daemon unreachable", "notice: daemon connected",
                ]
            }
            var news = try #require(watch.news()).makeAsyncIterator()
            let version = form.withLock { $0?.version } ?? -1
            #expect(await news.next() == .up(version: version))
        }
    }

    @Test func aDaemonThatTakesNoMoreWatchersIsNotGone() async throws {
        try await Self.run {
            AsyncThrowingStream { $0.finish(throwing: ControlError(.busy, "32 others watch already")) }
        } _: { watch, lines in
            var news = try #require(watch.news()).makeAsyncIterator()
            #expect(await news.next() == .busy)
            try await Eventually.holds("it is logged") {
                lines.all == ["warning: daemon busy"]
            }
        }
    }

    @Test func noMoreThanAFewMayListen() async throws {
        try await PageWorld.run { world in
            try await world.page.listening(StatusPageLimits.listenersMax) {
                try await Eventually.holds("one more is refused") {
                    try await world.page.send("HEAD", "/events", host: world.page.host, []).status == 503
                }
                let answer = try await world.page.get("/events")
                #expect(answer.field("Retry-After") == "30")
                #expect(try await world.page.get("/").status == 200)
            }
            try await Eventually.holds("a place is free again") { try await world.page.firstEvent() == "up" }
        }
    }
}
