import Causeway
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayHTTPServer
import CausewayScriptedWorld
import CausewayStatusPage
import CausewayTestSupport
import Logging
import Synchronization

/// A client on a memory store, its control service, and a status page in front of it on a real socket.
struct PageWorld: Sendable {
    let remote: ScriptedServer
    let store: MemoryStore
    let service: ClientControlService
    let page: PageClient
    let general: ChannelID

    static let token = "a-token-for-the-page-of-tests"

    /// Runs `body` while the page serves.
    static func run(
        _ change: (inout StatusPageConfiguration) throws -> Void = { _ in },
        asked: (@Sendable (any ControlService) -> any ControlService)? = nil,
        clock: @escaping @Sendable () -> MonotonicTime = SystemClock.monotonic,
        _ body: @Sendable (PageWorld) async throws -> Void
    ) async throws {
        guard let general = ChannelID("general"), let token = AccessToken("s3cret-token") else { throw Unserved() }
        let remote = ScriptedServer()
        let store = MemoryStore()
        let client = try await CausewayClient.open(
            store: store, transports: remote.registry, credentials: MemoryCredentialStore(),
            configuration: .forTests())
        let process = StatusResponse.Process(pid: 4711, version: "test", store: "/store", isDaemon: true)
        let service = ClientControlService(client: client, trust: MemoryTrustStore(), process: process)
        _ = try await service.login(LoginRequest(server: "test://server", token: token))
        let control = asked?(service) ?? service
        try await serving(DaemonClient(reading: control, changing: control), change, clock: clock) { page in
            let world = PageWorld(remote: remote, store: store, service: service, page: page, general: general)
            try await Eventually.ends { try await body(world) }
        }
        await client.close()
    }

    /// Runs `body` while a page in front of this daemon serves.
    static func serving(
        _ daemon: DaemonClient, _ change: (inout StatusPageConfiguration) throws -> Void = { _ in },
        clock: @escaping @Sendable () -> MonotonicTime = SystemClock.monotonic,
        _ body: @Sendable (PageClient) async throws -> Void
    ) async throws {
        var configuration = StatusPageConfiguration(allowsChanges: true, socket: "/run/s")
        try change(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = try StatusPageService(configuration, daemon: daemon, logger: logger, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let result: Result<Void, any Error>
            do {
                try await body(try PageClient(address: try await service.address()))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            _ = await group.nextResult()
            try result.get()
        }
    }

    struct Unserved: Error {}

    /// Sends texts that fail for good, and waits until they have.
    func fail(
        _ texts: [String], in channel: ChannelID? = nil, code: String = "channelNotFound",
        detail: String = "no such channel"
    ) async throws -> [MessageID] {
        remote.set(.refusing(code: code, detail: detail))
        let messages = texts.map { OutgoingMessage(channel: channel ?? general, text: $0) }
        let ids = try await service.send(messages).ids
        for id in ids { _ = try await result(of: id) }
        return ids
    }

    /// The end of a delivery, however long it takes: one call of the service waits only so long.
    func result(of id: MessageID) async throws -> DeliveryResultResponse {
        while true {
            let result = try await service.result(of: id, within: .seconds(20))
            if result.outcome != .waiting { return result }
        }
    }

    /// Sends texts that wait until sending is resumed.
    func queue(_ texts: [String], in channel: ChannelID? = nil) async throws -> [MessageID] {
        try await service.setPaused(true)
        return try await service.send(texts.map { OutgoingMessage(channel: channel ?? general, text: $0) }).ids
    }

    func state(_ id: MessageID) async throws -> String { try await service.message(id).state }

    /// The secret in the forms of the page.
    func csrfToken(_ login: PageLogin? = nil) async throws -> String {
        let answer = try await page.get((login?.root ?? "") + "/confirm?do=delete-all", login.map { [$0.field] } ?? [])
        guard let match = answer.body.firstMatch(of: /name="csrf" value="([0-9a-f]+)"/) else { throw Unserved() }
        return String(match.1)
    }
}

/// The data that a browser keeps of a login: the cookie, and the prefix of its paths.
struct PageLogin: Sendable {
    let cookie: String
    let root: String

    var field: (String, String) { ("Cookie", cookie) }

    /// Parses the response to the right token.
    init(_ answer: PageClient.Answer) throws {
        guard let setting = answer.field("Set-Cookie"), let location = answer.field("Location"),
            location.hasSuffix("/")
        else { throw PageWorld.Unserved() }
        cookie = String(setting.prefix { $0 != ";" })
        root = String(location.dropLast())
    }
}

/// Records log lines.
final class LineKeeper: LogHandler {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.level): \(event.message)") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .notice }
        set {}
    }
}

/// A clock that advances only on command.
final class SetClock: Sendable {
    private let time = Mutex(MonotonicTime.zero + .seconds(1_000_000))

    var now: MonotonicTime { time.withLock { $0 } }

    /// The clock as a function.
    var reading: @Sendable () -> MonotonicTime { { self.now } }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}
