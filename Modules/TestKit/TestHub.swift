public import Causeway
import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayRecords
import CausewayTransport
import Foundation
import Logging
import Synchronization

/// A hub in this process, for the tests of an application: the real one, on a free port of the loopback interface, with
/// its data in a temporary folder.
///
/// ```swift
/// try await TestHub.run { hub in
///     let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
///     try await ann.messages.createTextMessage("hi", in: .sample).delivered()
///     await hub.disconnect()
///     let handle = try await bob.messages.createTextMessage("waits", in: .sample)
///     hub.connect()
///     try await handle.delivered()
/// }
/// ```
///
/// Thread-safe. Cost: a start takes some tenths of a second.
public final class TestHub: Sendable {
    /// The reason why a hub cannot be started, or a client not be made.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// A hub needs at least one user and one channel.
        case empty
        /// The name of a user or of a channel is invalid; see ``UserID`` and ``ChannelID``.
        case invalidName(String)
        /// The hub has no user of this name.
        case noSuchUser(String)

        public var description: String {
            switch self {
            case .empty: "a test hub needs at least one user and one channel"
            case .invalidName(let name): "\(name) is no valid name"
            case .noSuchUser(let name): "the test hub has no user \(name); name all users when it is started"
            }
        }
    }

    /// The address for clients: `http://127.0.0.1:PORT`.
    public let address: String
    /// The tokens of the users, as of now.
    public var tokens: [UserID: AccessToken] { currentTokens.withLock { $0 } }
    /// The ways to the hub, for clients that a test opens itself: ``disconnect()`` breaks their connections, too.
    public let transports: TransportRegistry

    private let link: TestLink
    private let administration: HubAdministration
    private let currentTokens: Mutex<[UserID: AccessToken]>
    private let clients = Mutex<[CausewayClient]>([])

    private init(address: String, tokens: [UserID: AccessToken], administration: HubAdministration) {
        self.address = address
        self.administration = administration
        currentTokens = Mutex(tokens)
        let link = TestLink()
        self.link = link
        var configuration = HTTPTransportConfiguration()
        configuration.proxy = .none
        var transports = TransportRegistry()
        transports.register("http") { [configuration] address, token throws(TransportError) in
            try LinkedTransport(link) { () throws(TransportError) in
                try HTTPTransport(to: address, token: token, configuration)
            }
        }
        self.transports = transports
    }

    /// Starts a hub, calls `body`, closes the clients that it has made, and ends the hub.
    ///
    /// Throws ``Problem``, the errors of `body`, and those of the disk.
    ///
    /// - Parameters:
    ///   - users: the names of the accounts.
    ///   - channels: the names of the channels. All users are members; the first one is the owner.
    @discardableResult
    public static func run<Value: Sendable>(
        users: [String] = ["ann", "bob"], channels: [String] = ["general"],
        _ body: @Sendable (TestHub) async throws -> Value
    ) async throws -> Value {
        guard let owner = users.first, let channel = channels.first else { throw Problem.empty }
        let path = FileManager.default.temporaryDirectory.path + "/causeway-test-hub-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = DataFolder(path)
        let userIDs = try users.map { name in
            guard let user = UserID(name) else { throw Problem.invalidName(name) }
            return user
        }
        let channelIDs = try channels.map { name in
            guard let channel = ChannelID(name) else { throw Problem.invalidName(name) }
            return channel
        }
        let setup = try await HubSetup(folder: folder, names: ["127.0.0.1"], account: owner, channel: channel)
            .run(opening: SQLiteHubStorage.open)
        let first = try String(contentsOfFile: setup.tokenPath, encoding: .utf8)
        var logger = Logger(label: "test hub")
        logger.logLevel = .critical
        return try await HubService.running(
            HubConfiguration(folder: folder, security: .plainOnLoopback), opening: SQLiteHubStorage.open,
            logger: logger
        ) { service in
            let tokens = try await accounts(userIDs, channelIDs, first: first, service.administration)
            let hub = TestHub(
                address: try await service.address(), tokens: tokens, administration: service.administration)
            let result: Result<Value, any Error>
            do { result = .success(try await body(hub)) } catch { result = .failure(error) }
            for client in hub.clients.withLock({ $0 }) { await client.close() }
            return try result.get()
        }
    }

    private static func accounts(
        _ users: [UserID], _ channels: [ChannelID], first: String, _ administration: HubAdministration
    ) async throws -> [UserID: AccessToken] {
        var tokens: [UserID: AccessToken] = [:]
        for (index, user) in users.enumerated() {
            let isFirst = index == 0
            let text =
                isFirst
                ? first.trimmingCharacters(in: .whitespacesAndNewlines)
                : try await administration.addAccount(user.value).text
            tokens[user] = AccessToken(text)
        }
        for channel in channels {
            _ = try await administration.addChannel(channel, owner: users[0])
            for user in users.dropFirst() {
                try await administration.setMember(ChannelMemberID(channel: channel, user: user), .member)
            }
        }
        return tokens
    }

    /// Opens a client, and logs a user in. It is closed at the end of ``run(users:channels:_:)``.
    ///
    /// Throws ``Problem/noSuchUser(_:)``, and the errors of ``CausewayClient/login(server:token:)``.
    ///
    /// - Parameter store: without it, a store of its own in memory.
    public func client(
        of name: String, on store: (any Store)? = nil, configuration: ClientConfiguration = .withoutWaiting
    ) async throws -> CausewayClient {
        let token = try token(of: name)
        let client = try await CausewayClient.open(
            store: store ?? MemoryStore(), transports: transports, credentials: MemoryCredentialStore(),
            configuration: configuration)
        clients.withLock { $0.append(client) }
        try await client.login(server: address, token: token)
        return client
    }

    /// The token of a user, as of now. Throws ``Problem/noSuchUser(_:)``.
    public func token(of name: String) throws -> AccessToken {
        guard let user = UserID(name), let token = tokens[user] else { throw Problem.noSuchUser(name) }
        return token
    }

    /// Gives a user another token; the old one is refused from now on.
    ///
    /// Throws ``Problem/noSuchUser(_:)``, and the errors of the disk.
    @discardableResult
    public func replaceToken(of name: String) async throws -> AccessToken {
        _ = try token(of: name)
        guard let user = UserID(name), let new = AccessToken(try await administration.renewAccount(name).text) else {
            throw Problem.noSuchUser(name)
        }
        currentTokens.withLock { $0[user] = new }
        return new
    }

    /// Breaks the connections of ``transports``; until ``connect()`` the hub cannot be reached.
    public func disconnect() async { await link.takeDown() }

    /// Lets clients reach the hub again; they find out within a moment.
    public func connect() { link.takeUp() }
}

extension ClientConfiguration {
    /// The documented rules without their waits, for tests: the outbox sends as soon as the server can be reached,
    /// repeats after a millisecond, and looks for the server every 20 milliseconds.
    public static var withoutWaiting: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.outbox.settlingTime = .zero
        configuration.outbox.retry = RetryPolicy(
            interval: .milliseconds(1), retriesMax: RetryPolicy.documented.retriesMax, jitterPercent: 0)
        configuration.outbox.probeInterval = .milliseconds(20)
        configuration.outbox.probeIntervalMax = .milliseconds(20)
        configuration.outbox.recoveryProbeInterval = .milliseconds(20)
        return configuration
    }
}
