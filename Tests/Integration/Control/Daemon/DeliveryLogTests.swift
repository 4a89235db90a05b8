import Causeway
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayDaemon
import CausewayDiagnostics
import CausewayScriptedWorld
import CausewayTestSupport
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// The daemon's log: each failed delivery is one line in it, whatever its cause.
@Suite struct DeliveryLogTests {
    private let general: ChannelID

    init() throws { general = try #require(ChannelID("general")) }

    /// A client whose commits are logged as the daemon does it.
    private struct World: Sendable {
        let service: ClientControlService
        let remote: ScriptedServer
        let lines: @Sendable () -> [String]

        func lines(with words: String...) -> [String] {
            lines().filter { line in words.allSatisfy { line.contains($0) } }
        }

        /// Waits for one line that contains all of these words.
        func says(_ words: String...) async throws {
            try await Eventually.holds("\(words) in \(lines())") {
                lines().contains { line in words.allSatisfy { line.contains($0) } }
            }
        }
    }

    private func run(
        level: Logger.Level = .info, _ change: (inout ClientConfiguration) -> Void = { _ in },
        _ body: @Sendable (World) async throws -> Void
    ) async throws {
        let written = Mutex<[String]>([])
        let logger = Logger(label: "test") { _ in
            LineLogHandler(format: .text, level: level) { line in written.withLock { $0.append(line) } }
        }
        var configuration = ClientConfiguration.forTests()
        change(&configuration)

        let (store, remote) = (MemoryStore(), ScriptedServer())
        let journal = DeliveryJournal(isDetailed: level <= .debug)
        let subscription = store.subscribe { journal.note($0) }
        let startedAt = SystemRuntime().wallClock
        let client = try await CausewayClient.open(
            store: store, transports: remote.registry, credentials: MemoryCredentialStore(),
            configuration: configuration)
        let service = ClientControlService(
            client: client, trust: MemoryTrustStore(),
            process: StatusResponse.Process(pid: 1, version: "test", store: "/", isDaemon: true))
        let log = DeliveryLogService(journal: journal, service: service, logger: logger, startedAt: startedAt)
        var quiet = Logger(label: "group")
        quiet.logLevel = .critical
        let group = ServiceGroup(configuration: .init(services: [log], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                _ = try await service.login(ControlWorld.login)
                let world = World(service: service, remote: remote) { written.withLock { $0 } }
                try await Eventually.ends { try await body(world) }
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        subscription.cancel()
        await client.close()
    }

    private func send(_ text: String, _ world: World) async throws -> String {
        let ids = try await world.service.send([OutgoingMessage(channel: general, text: text)]).ids
        return try #require(ids.first).description
    }

    @Test func aRefusalIsALine() async throws {
        try await run { world in
            world.remote.set(.refusing(code: "channelNotFound", detail: "no such\nchannel"))
            let id = try await send("secret words", world)
            try await world.says("warning message failed", id, "channel=general", "reason=refused")
            #expect(world.lines(with: id).count == 1)
            #expect(world.lines(with: "code=channelNotFound", #"detail=no such\nchannel"#).count == 1)
            #expect(world.lines(with: "secret words").isEmpty)
        }
    }

    /// An edit is no message: the line names the message that it concerns, whether the server refused it or the session
    /// ended.
    @Test func aFailedEditIsALineOfItsOwn() async throws {
        try await run { world in
            let id = try await send("hi", world)
            let message = try #require(MessageID(id))
            try await Eventually.holds("it is on the server") {
                try await world.service.message(message).state == "synced"
            }
            world.remote.set(.refusing(code: "forbidden", detail: "the channel is closed"))
            _ = try await world.service.edit(message, EditRequest(text: "hello"))
            try await world.says("warning edit or reaction failed", "message=\(id)", "operation=", "reason=refused")
            try await world.service.setPaused(true)
            _ = try await world.service.react(message, ReactionRequest(name: "wave", isAdded: true))
            _ = try await world.service.logout()
            try await world.says("warning edit or reaction failed", "message=\(id)", "reason=sessionEnded")
            #expect(world.lines(with: "message failed").isEmpty)
        }
    }

    /// In detail, too, and when it is deleted.
    @Test func aDeletedEditIsALineOfItsOwn() async throws {
        try await run(level: .debug) { world in
            let id = try await send("hi", world)
            let message = try #require(MessageID(id))
            try await world.says("debug message changed", id, "from=syncing", "to=synced")
            world.remote.set(.busy)
            _ = try await world.service.edit(message, EditRequest(text: "hello"))
            let edit = try #require(try await world.service.outbox(OutboxQuery()).messages.first?.id)
            try await world.says("info delivery attempt failed", "message=\(id)", "operation=\(edit)", "attempts=1")
            _ = try await world.service.delete([edit], by: .api)
            try await world.says("debug edit or reaction changed", "message=\(id)", "operation=\(edit)", "to=deleted")
            #expect(world.lines(with: "message=\(edit)").isEmpty)
        }
    }

    @Test func eachAttemptAndTheLastAreLines() async throws {
        try await run {
            $0.outbox.retry.retriesMax = 2
        } _: { world in
            world.remote.set(.busy)
            let id = try await send("x", world)
            try await world.says("message failed", id, "reason=retriesUsedUp")
            #expect(world.lines(with: "info delivery attempt failed", id).count == 2)
            #expect(world.lines(with: "delivery attempt failed", "attempts=1").count == 1)
            #expect(world.lines(with: "delivery attempt failed", "attempts=2").count == 1)
        }
    }

    @Test func anExpiryIsALine() async throws {
        try await run {
            $0.outbox.expiry = .milliseconds(10)
        } _: { world in
            world.remote.set(.unreachable)
            let id = try await send("x", world)
            try await world.says("message failed", id, "reason=expired")
        }
    }

    @Test func theEndOfASessionIsALineAndSoIsEachMessageThatItFails() async throws {
        try await run { world in
            try await world.says("info session started", "server=test://server", "user=ann")
            world.remote.set(.unreachable)
            try await world.service.setPaused(true)
            var ids: [String] = []
            for number in 0..<3 { ids.append(try await send("\(number)", world)) }
            #expect(try await world.service.logout().unsent == 3)
            for id in ids { try await world.says("message failed", id, "reason=sessionEnded") }
            try await world.says("info session ended", "user=ann")
            // The next end of a session reports only its own failures.
            world.remote.set(.working)
            _ = try await world.service.login(ControlWorld.login)
            try await world.service.setPaused(true)
            let late = try await send("late", world)
            #expect(try await world.service.logout().unsent == 1)
            try await world.says("message failed", late, "reason=sessionEnded")
            #expect(world.lines(with: "message failed").count == 4)
        }
    }

    @Test func aGreatManyAtOnceAreABoundedNumberOfLines() async throws {
        try await run { world in
            try await world.service.setPaused(true)
            let messages = (0..<500).map { OutgoingMessage(channel: general, text: "\($0)") }
            _ = try await world.service.send(messages)
            _ = try await world.service.logout()
            try await world.says("more deliveries failed", "count=400")
            #expect(world.lines(with: "warning message failed").count == 100)
        }
    }

    @Test func inDetailEachChangeOfAStateIsALine() async throws {
        try await run(level: .debug) { world in
            let id = try await send("x", world)
            try await world.says("debug message changed", id, "from=syncing", "to=synced")
            #expect(world.lines(with: id, "from=none", "to=created").count == 1)
            #expect(world.lines(with: id, "from=created", "to=syncing").count == 1)
            _ = try await world.service.delete([try #require(MessageID(id))], by: .api)
            try await world.says("debug message changed", id, "to=deleted")
        }
        try await run { world in
            let id = try await send("x", world)
            try await Eventually.holds("delivered") { world.remote.texts == ["x"] }
            #expect(world.lines(with: id).isEmpty)
        }
    }
}
