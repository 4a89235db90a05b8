internal import CausewayHTTPServer
package import CausewayHubBlobs
package import CausewayHubRules
package import CausewayHubStorage
internal import CausewaySystem
internal import CausewayTLS
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle

/// A hub: its storage and its server.
///
/// It holds the lock of its data folder from its creation until `run` has ended, or it is released. `run` ends at once
/// when cancelled; on a graceful shutdown it accepts no new connection, completes the requests in progress, and
/// returns.
package final class HubService: Service {
    /// The storage it serves from; may be used while it runs.
    package let storage: any HubStorage
    /// Its accounts and channels.
    package var administration: HubAdministration { HubAdministration(storage, notifier) }
    /// The readers of events that wait or stream.
    package var eventReaders: Int { notifier.count }
    /// The number of open sockets.
    package var sockets: Int { socketOpener.count }
    /// The requests in progress of all accounts; an open socket counts as one.
    package var requestsInProgress: Int { accountConnections.requestsInProgress }
    private let configuration: HubConfiguration
    private let lock: DataFolderLock
    private let tls: TLSServerContext?
    private let kinds: HubKinds
    private let faults: HubFaults?
    private let notifier: EventNotifier
    private let bodies = BodyLimiter()
    private let socketOpener: SocketOpener
    private let accountConnections: AccountConnections
    private let files: HubFiles
    private let logger: Logger
    private let readiness = Readiness<HubError>()

    /// Opens everything that can fail before a port is bound.
    ///
    /// - Parameters:
    ///   - opening: opens the storage, once the data folder is locked.
    ///   - blobs: the bytes of its files; `nil` for a folder in the data folder.
    ///   - kinds: the kinds of records that it has.
    ///   - faults: for tests only; `nil` in every released program.
    /// - Throws: `notSetUp`, `inUse`, `storage`, `configuration` for certificates that cannot be used or a plain hub on
    ///   an address that other machines reach.
    package init(
        _ configuration: HubConfiguration, opening: HubStorageOpening, blobs: (any BlobStorage)? = nil,
        kinds: HubKinds = .standard, faults: HubFaults? = nil, logger: Logger
    ) async throws(HubError) {
        guard configuration.folder.isSetUp else { throw .notSetUp(folder: configuration.folder.path) }
        switch configuration.security {
        case .tls(let certificate, let key):
            tls = try Self.context(certificateChainPath: certificate, privateKeyPath: key)
        case .plainOnLoopback:
            guard ListenAddress.isLoopback(configuration.host) else {
                throw .configuration(
                    "without TLS the hub listens on 127.0.0.1 only, not on \(configuration.host); "
                        + "omit --plain, or listen on 127.0.0.1")
            }
            tls = nil
        }
        lock = try DataFolderLock(configuration.folder)
        try configuration.folder.checkOwner()
        storage = try await configuration.folder.storage(opening, logger: logger)
        do {
            try await storage.beginOpening(SecureRandom.bytes(16))
        } catch {
            throw .storage(error)
        }
        do throws(BlobStorageError) {
            let folder = configuration.folder.blobs
            let blobs: any BlobStorage = if let blobs { blobs } else { try HubBlobFolder(path: folder) }
            files = HubFiles(storage: storage, blobs: blobs, limits: configuration.blobs)
        } catch {
            throw .io(path: configuration.folder.blobs, detail: error.description)
        }
        self.configuration = configuration
        notifier = EventNotifier(configuration.eventReaders, configuration.ephemeral, now: SystemClock.monotonic)
        socketOpener = SocketOpener(storage, bodies, configuration)
        accountConnections = AccountConnections(connectionsMax: configuration.connectionsPerAccountMax)
        self.kinds = kinds
        self.faults = faults
        self.logger = logger
    }

    /// Serves until cancelled or shut down; once. Then the storage is closed and the data folder is free.
    ///
    /// - Throws: `HubError.cannotListen`.
    package func run() async throws {
        // Not left to the last reference: a closure of the server's channel may outlive the server for a moment.
        defer {
            storage.close()
            lock.release()
        }
        let fileHousekeeping = FileHousekeeping(files: files, logger: logger)
        do {
            try await fileHousekeeping.repair()
        } catch {
            logger.error("uploads not repaired", metadata: ["error": "\(error)"])
        }
        let router = router()
        let tls = tls
        let limits = configuration.limits
        let readiness = readiness
        let application = Application(
            responder: ChildTaskResponder(router.buildResponder()),
            server: HTTPServerBuilder { responder in
                LimitedServerChannel(responder: responder, tls: tls, limits: limits, refusal: .hub)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: HubLimits.connectionBacklogMax,
                availableConnectionsDelegate: .maximum(limits.connectionsMax, logger: logger)),
            onServerRunning: { [self] channel in
                let port = channel.localAddress?.port ?? 0
                logger.info("listening", metadata: ["address": "\(address(port: port))"])
                readiness.open(port: port)
            },
            logger: Self.quiet(logger))
        let housekeeping = HubHousekeeping(storage: storage, logger: logger)
        async let _: Void = housekeeping.run(every: configuration.rest)
        async let _: Void = housekeeping.trimLog(
            configuration.retention, every: .seconds(HubLimits.logTrimSeconds))
        async let _: Void = fileHousekeeping.run(every: configuration.expiry)
        async let _: Void = notifier.run(every: configuration.eventCheck, storage)
        do {
            // Requests in progress are completed, so the waiting ones end at once.
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: { [notifier, socketOpener, files] in
                notifier.close()
                socketOpener.stop()
                // A transfer is continued with the next run.
                files.uploads.close()
            }
            await socketOpener.end()
            readiness.close(.cannotListen(address: address(port: configuration.port), detail: "the hub was stopped"))
        } catch let error as IOError {
            let problem = HubError.cannotListen(
                address: address(port: configuration.port), detail: SystemWords.words(for: error.errnoCode))
            readiness.close(problem)
            throw problem
        } catch {
            await socketOpener.end()
            readiness.close(.cannotListen(address: address(port: configuration.port), detail: "\(error)"))
            throw error
        }
    }

    private func router() -> Router<HubRequestContext> {
        let responses = ResponseShares()
        return HubRouter(
            storage: storage, history: HubHistory(storage, logger: logger), reader: MessageReader(storage),
            recordReader: RecordReader(storage, kinds),
            channels: ChannelCreator(storage, kinds, ChannelCreationShares(configuration), notifier),
            writer: DeliveryWriter(storage, kinds, notifier, predecessorWait: configuration.predecessorWait),
            budget: bodies, responses: responses,
            events: EventResponder(storage, notifier, responses, commentInterval: configuration.eventComment),
            typing: TypingReceiver(
                storage, notifier, burst: configuration.typingSignalsMax, refill: configuration.typingSignalRefill),
            uploads: UploadResponder(files, graceSeconds: configuration.uploadGraceSeconds),
            blobs: BlobResponder(files: files, responses: responses),
            accountConnections: accountConnections,
            sockets: socketOpener,
            faults: faults, attemptRefill: configuration.attemptRefill
        ).build()
    }

    /// Returns the port it listens on; waits until it does.
    ///
    /// - Throws: `HubError.cannotListen` if `run` has ended, or ends meanwhile.
    package func port() async throws(HubError) -> Int { try await readiness.port() }

    /// Returns the address for users and clients (`https://…` or `http://…`); waits until it listens.
    package func address() async throws(HubError) -> String { address(port: try await port()) }

    private func address(port: Int) -> String {
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        return "\(tls == nil ? "http" : "https")://\(host):\(port)"
    }

    private static func context(certificateChainPath: String, privateKeyPath: String) throws(HubError)
        -> TLSServerContext
    {
        do {
            return try TLSServerContext(
                TLSServerConfiguration(
                    certificateChainPath: certificateChainPath, privateKeyPath: privateKeyPath,
                    applicationProtocols: ["http/1.1"]))
        } catch {
            throw .configuration("\(error)")
        }
    }

    /// A logger for Hummingbird, whose `info` messages repeat what the hub logs better itself.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        if logger.logLevel == .info { logger.logLevel = .notice }
        return logger
    }
}

extension HubService {
    /// Runs a hub while `body` runs; for tests and tools.
    package static func running<Value: Sendable>(
        _ configuration: HubConfiguration, opening: HubStorageOpening, blobs: (any BlobStorage)? = nil,
        kinds: HubKinds = .standard, faults: HubFaults? = nil, logger: Logger,
        _ body: @Sendable (HubService) async throws -> Value
    ) async throws -> Value {
        let hub = try await HubService(
            configuration, opening: opening, blobs: blobs, kinds: kinds, faults: faults, logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hub.run() }
            _ = try await hub.port()
            let result: Result<Value, any Error>
            do { result = .success(try await body(hub)) } catch { result = .failure(error) }
            group.cancelAll()
            // The outcome of a cancelled server does not matter.
            _ = await group.nextResult()
            return try result.get()
        }
    }
}
