import CausewayLiveQuery
public import CausewayModels
import CausewayOutbox
public import CausewayRuntime
public import CausewayStorage
import CausewaySync
public import CausewayTransport

/// The main entry point: one client owns one store and at most one session.
///
/// Thread-safe; create one per store and keep it for the life of the process.
///
/// ```swift
/// var transports = TransportRegistry()
/// transports.registerHTTP()
/// let client = try await CausewayClient.open(store: store, transports: transports, credentials: credentials)
/// try await client.login(server: "https://chat.example", token: token)
/// let handle = try await client.messages.createTextMessage("hi", in: general)   // stored now, not sent
/// try await handle.delivered()                                                   // on the server now
/// ```
public final class CausewayClient: Sendable {
    /// The messages: creates, reads, resends and deletes them.
    public let messages: MessageRepository
    /// Records of any kind: observes and writes them.
    public let records: RecordRepository
    /// The channels: observes, creates, changes, joins and leaves them.
    public let channels: ChannelRepository
    /// The members of channels: observes, adds and removes them, and changes their roles.
    public let channelMembers: ChannelMemberRepository

    let engine: SyncEngine
    let store: any Store
    private let transports: TransportRegistry
    private let credentials: any CredentialStore
    let runtime: any Runtime
    private let renewal: TokenRenewal
    /// `nil` if the store keeps no files.
    private let collector: BlobCollector?
    /// `nil` if messages are kept for ever.
    private let sweeper: RetentionSweeper?
    let live: LiveQueryEngine
    /// The server as live queries see it.
    let server: LiveServer

    private init(
        engine: SyncEngine, store: any Store, transports: TransportRegistry, credentials: any CredentialStore,
        runtime: any Runtime, live: LiveQueryEngine, renewal: TokenRenewal, configuration: ClientConfiguration
    ) {
        self.renewal = renewal
        self.engine = engine
        self.store = store
        self.transports = transports
        self.credentials = credentials
        self.runtime = runtime
        self.live = live
        let files = store.blobs.map { blobs in
            MessageFiles(
                blobs: blobs, received: store.received,
                collector: BlobCollector(store: store, blobs: blobs, received: store.received, runtime: runtime))
        }
        collector = files?.collector
        sweeper = RetentionSweeper(store: store, policy: configuration.retention, runtime: runtime)
        let server = LiveServer(ServerPages(engine: engine))
        self.server = server
        records = RecordRepository(engine: engine, store: store, live: live, server: server)
        channels = ChannelRepository(records: records)
        channelMembers = ChannelMemberRepository(records: records)
        messages = MessageRepository(
            engine: engine, store: store, runtime: runtime, live: live, server: server,
            ordering: configuration.ordering, files: files, receivedBytesMax: configuration.receivedBytesMax,
            creations: CreationQueue(runtime), mediaCreations: CreationQueue(runtime))
    }

    /// Opens a client on a store.
    ///
    /// Starts a new epoch; `configuration.restart` is applied to messages that the previous run left undelivered before
    /// anything can be read. A session that was not logged out is resumed with the token from `credentials`. Needs no
    /// network.
    ///
    /// Throws ``ClientError/store(_:)``, and ``ClientError/credentials(_:)`` if the token cannot be read: the store is
    /// closed then, unless another client has opened it, and a later attempt needs another object for it.
    ///
    /// - Parameters:
    ///   - store: opened by this call, and closed with the client.
    ///   - transports: the ways to a server, by the scheme of its address.
    ///   - credentials: keeps the token of the session.
    ///   - runtime: the clock, the random source and the tasks; another one than the system's only in tests.
    ///   - configuration: the policies and limits.
    ///   - renewToken: asked for another token when the server refuses the one of the session, which is then used as
    ///     with ``login(server:token:)``. Called on no particular thread, by one task at a time, again after a while
    ///     if it throws or its token is refused, too. Without it a refused token waits for a login.
    public static func open(
        store: any Store, transports: TransportRegistry, credentials: any CredentialStore,
        runtime: any Runtime = SystemRuntime(), configuration: ClientConfiguration = ClientConfiguration(),
        renewToken: (@Sendable (Session) async throws -> AccessToken)? = nil
    ) async throws(ClientError) -> CausewayClient {
        let snapshot: OutboxSnapshot
        let session: Session?
        do throws(StoreError) {
            let failure = Failure(
                reason: .sessionEnded, code: "restarted", detail: "the program stopped before it was delivered",
                at: runtime.wallClock)
            snapshot = try await store.start(
                StartOptions(
                    restart: configuration.restart, failure: failure, newOutboxID: OutboxID(runtime.makeUUIDv7()),
                    opening: OpeningID(runtime.makeUUIDv7())))
            session = try await store.session()
        } catch {
            // The caller gets no client to close. A store that was started before belongs to another one.
            if error != .startedTwice { await store.close() }
            throw ClientError(error)
        }
        var outbox = configuration.outbox
        outbox.precedence = configuration.ordering.precedence
        let live = LiveQueryEngine(store: store, runtime: runtime) { ClientError(live: $0) }
        let renewal = TokenRenewal(runtime)
        let engine = SyncEngine(
            store: store, snapshot: snapshot, runtime: runtime, configuration: outbox, ordering: configuration.ordering,
            interpreter: .allKinds, followsEvents: configuration.followsEvents
        ) { trigger in
            switch trigger {
            case .sessionChanged: live.refresh(.newSession)
            case .reachable: live.refresh(.reachable)
            case .pagesDue: live.retryFailed()
            case .stateDue: live.refresh(.everything)
            case .channelsDue(let channels): live.refresh(.channels(channels))
            case .channelContradicted(let channel): live.refresh(.channels([channel], anew: true))
            case .eventsOutdated: live.markOutdated()
            case .eventsCaughtUp: live.caughtUp()
            case .actionRequired(let action): if action.cause == .tokenRefused { renewal.start() }
            }
        }
        let client = CausewayClient(
            engine: engine, store: store, transports: transports, credentials: credentials, runtime: runtime,
            live: live, renewal: renewal, configuration: configuration)
        if let renewToken { client.renewTokens(renewToken) }
        if let logger = configuration.logger {
            let changes = client.liveStatus()
            runtime.spawn { await changes.log(to: logger) }
        }
        do throws(ClientError) {
            try await client.goOn(with: session)
        } catch {
            // The caller gets no client to close.
            await client.close()
            throw error
        }
        client.collector?.start(session: session)
        client.sweeper?.start()
        return client
    }

    private func renewTokens(_ renewToken: @escaping @Sendable (Session) async throws -> AccessToken) {
        renewal.set { [weak self] in
            guard let self, try await status().actionRequired?.cause == .tokenRefused, let session else { return }
            let token = try await renewToken(session)
            // The user may have logged out, and another one in, in the meantime.
            if self.session?.id == session.id { try await login(server: session.server, token: token) }
        }
    }

    /// Resumes a session that was not logged out.
    private func goOn(with session: Session?) async throws(ClientError) {
        guard let session, session.isActive else {
            await engine.start(session: nil, transport: nil, actionRequired: nil)
            return
        }
        let token: AccessToken?
        do throws(CredentialError) {
            token = try await credentials.token(for: session)
        } catch {
            throw .credentials(error)
        }
        guard let token else {
            await engine.start(session: session, transport: nil, actionRequired: .noStoredToken)
            return
        }
        do throws(TransportError) {
            let transport = try transports.makeTransport(to: session.server, token: token)
            await engine.start(session: session, transport: transport, actionRequired: nil)
        } catch {
            await engine.start(
                session: session, transport: nil,
                actionRequired: ActionRequired(cause: .protocolMismatch, detail: error.description))
        }
    }

    /// Logs in: asks the server for the owner of the token, and starts the session. If the account is logged in
    /// already, this renews its token. A client that was closed throws ``ClientError/closed``.
    ///
    /// Throws ``ClientError/transport(_:)`` if the server cannot be reached or refuses the token, and
    /// ``ClientError/sessionExists(user:server:)`` if another user is logged in. With ``ClientError/credentials(_:)``
    /// the session has started, but the token could not be saved: the next start requires a login.
    @discardableResult
    public func login(server: String, token: AccessToken) async throws(ClientError) -> Session {
        guard await !engine.hasClosed else { throw .closed }
        let transport: any Transport
        do throws(TransportError) {
            transport = try transports.makeTransport(to: server, token: token)
        } catch {
            throw .transport(error)
        }
        let serverInfo: ServerInfo
        do throws(TransportError) {
            serverInfo = try await transport.authenticate()
        } catch {
            await transport.close()
            throw .transport(error)
        }
        let new = Session(
            id: SessionID(runtime.makeUUIDv7()), server: server, user: serverInfo.user, startedAt: runtime.wallClock)
        let session: Session
        do throws(SyncError) {
            session = try await engine.login(new, transport)
        } catch {
            await transport.close()
            throw ClientError(error)
        }
        do throws(CredentialError) {
            try await credentials.save(token, for: session)
        } catch {
            throw .credentials(error)
        }
        return session
    }

    /// Ends the session: nothing of it is sent afterwards, and undelivered messages become `error` (session ended).
    ///
    /// Throws ``ClientError/noSession``. With ``ClientError/credentials(_:)`` the session has ended, but its token
    /// could not be removed from the credential store; with ``ClientError/blob(_:)`` downloaded files could not be
    /// removed, which a later erasure does.
    ///
    /// - Parameter erasing: true to remove everything that is stored of the account, in the commit that ends the
    ///   session: messages, sent or not, records, past deletions, files, and with them downloaded files of every
    ///   account. Other accounts in the store keep what is theirs. A message that was under way may still arrive.
    ///   `SQLiteStore.erase(storeAt:)` and `FileStore.erase(storeAt:)` remove a whole store.
    /// - Returns: the number of messages, changes and deletions that the server had not confirmed. Deletions resume
    ///   when the account logs in again, as do fences of messages in doubt.
    @discardableResult
    public func logout(erasing: Bool = false) async throws(ClientError) -> Int {
        guard let session = try await status().session else { throw .noSession }
        if erasing { try await removeReceivedFiles() }
        let unsent: Int
        do throws(SyncError) {
            unsent = try await engine.logout(isErasing: erasing)
        } catch {
            throw ClientError(error)
        }
        do throws(CredentialError) {
            try await credentials.remove(for: session)
        } catch {
            throw .credentials(error)
        }
        if erasing {
            await collector?.idle()
            // Those that arrived meanwhile.
            try await removeReceivedFiles()
        }
        return unsent
    }

    private func removeReceivedFiles() async throws(ClientError) {
        do throws(BlobError) { try await store.received?.removeAll() } catch { throw ClientError(error) }
    }

    /// The current status: session, connectivity, required user action, lanes, counts.
    public func status() async throws(ClientError) -> SyncStatus {
        do throws(SyncError) { return try await engine.status() } catch { throw ClientError(error) }
    }

    /// Stops sending until ``resume()``; messages can still be created. Not kept across a restart.
    public func pause() async throws(ClientError) {
        do throws(SyncError) { try await engine.setPaused(true) } catch { throw ClientError(error) }
    }

    /// Resumes sending after ``pause()``; does nothing if sending is not paused.
    public func resume() async throws(ClientError) {
        do throws(SyncError) { try await engine.setPaused(false) } catch { throw ClientError(error) }
    }

    /// Probes the server now instead of at the next planned time.
    public func probeNow() async { await engine.probeNow() }

    /// The amount of unfinished work that the engine holds; for tests and simulators.
    package func footprint() async -> SyncFootprint { await engine.footprint }

    /// Drops now what ``ClientConfiguration/retention`` does not keep; for tests.
    package func applyRetention() async throws(StoreError) { try await sweeper?.sweep() }

    /// Stops the engine, ends all live objects and collections (their statuses become `error`, their iterators end) and
    /// closes the store. Undelivered messages remain in the store. May be called twice.
    public func close() async {
        renewal.cancel()
        sweeper?.close()
        await engine.close()
        await live.close()
        await collector?.close()
        await store.close()
    }
}
