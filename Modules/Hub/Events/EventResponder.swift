internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// A request for events.
struct EventRequest: Sendable {
    /// `nil` for the end of the log.
    var cursor: LogCursor?
    /// How long a request waits for something new.
    var wait: Duration = .zero
    /// Records in one part.
    var limit = WireProtocol.eventsMax
    /// `nil` for all topics that the account may read.
    var topics: Set<LogTopic>?
    /// The reader's own: its changes do not end a wait at once.
    var outbox: OutboxID?
    /// Whether the parts are server-sent events.
    var isStream = false
    /// The ephemeral events that the reader has seen; `nil` if it does not read them.
    var seen: EphemeralToken?
}

/// Responds with parts of the log: one, for which a request may wait, or a stream of them.
///
/// A reader between two parts is a position: nothing is collected for it. A waiting one does not count as a request in
/// progress; its number is bounded by ``EventSubscriptions/Limits``.
struct EventResponder: Sendable {
    private let storage: any HubStorage
    private let reader: EventPartReader
    private let ephemeral: EphemeralReader
    private let notifier: EventNotifier
    private let responses: ResponseShares
    private let commentInterval: Duration

    /// - Parameter commentInterval: the time between two signs of life of a stream.
    init(
        _ storage: any HubStorage, _ notifier: EventNotifier, _ responses: ResponseShares, commentInterval: Duration
    ) {
        self.storage = storage
        reader = EventPartReader(storage)
        ephemeral = EphemeralReader(storage: storage)
        self.notifier = notifier
        self.responses = responses
        self.commentInterval = commentInterval
    }

    func respond(_ request: EventRequest, _ context: HubRequestContext) async throws -> Response {
        if request.isStream { return try await stream(request, context) }
        guard let cursor = request.cursor else {
            return try await responses.respond(
                try await reader.end().body, holding: try responses.reserve(0, context), context)
        }
        return try await poll(request, after: cursor, context)
    }

    // MARK: - One part

    private func poll(
        _ request: EventRequest, after cursor: LogCursor, _ context: HubRequestContext
    ) async throws -> Response {
        var known: EventSession?
        if request.seen != nil, notifier.knowsTopics(of: try context.requireAccount().user) {
            known = try enter(request, context)
            try await known?.prepare(storage)
        }
        let first = try await part(request, after: cursor, known, HubLimits.pageBytesMax, context)
        // To find out the topics costs more than a part, so a reader that is behind gets ephemeral events later.
        let isComplete = request.wait <= .zero && (request.seen == nil || known != nil)
        guard first.part.isIdle, !isComplete else {
            return try await responses.respond(first.part.body, holding: first.lease, context)
        }
        first.lease.correct(to: 0)
        let deadline = notifier.now() + request.wait
        let session = try known ?? enter(request, context)
        var wake = request.wait > .zero ? EventNotifier.Wake.changed : .deadline
        while true {
            try await session.prepare(storage)
            let (lease, part) = try await part(request, after: cursor, session, HubLimits.pageBytesMax, context)
            guard part.isIdle, case .changed = wake else {
                // The token may have been replaced while the request was waiting.
                if !part.isIdle, try await !context.isAuthorized(storage) {
                    lease.correct(to: 0)
                    throw HubHTTPError.tokenRefused
                }
                return try await responses.respond(part.body, holding: lease, context)
            }
            lease.correct(to: 0)
            wake = await session.wait(after: part.cursor.position, until: deadline)
        }
    }

    private func enter(_ request: EventRequest, _ context: HubRequestContext) throws -> EventSession {
        let account = try context.requireAccount()
        let peer = PeerAddress.text(of: context.channel)
        guard
            let session = notifier.enter(
                account.user, from: peer, topics: request.topics, outbox: request.outbox,
                readsEphemeral: request.seen != nil)
        else { throw HubHTTPError.busy }
        context.onDeparture { [weak session] in session?.end() }
        return session
    }

    /// - Parameter session: has been prepared if the request reads ephemeral events.
    private func part(
        _ request: EventRequest, after cursor: LogCursor, _ session: EventSession?, _ bytesMax: Int,
        _ context: HubRequestContext
    ) async throws -> (lease: ByteLease, part: EventPart) {
        let account = try context.requireAccount()
        let lease = try responses.reserve(0, context)
        let part = try await reader.read(
            after: cursor, for: account, topics: request.topics,
            limit: PageLimit(count: request.limit, contentBytes: bytesMax), holding: lease
        ) { () throws(HubStorageError) in
            guard let seen = request.seen, let session else { return nil }
            return try await ephemeral.part(after: seen, for: account, session)
        }
        lease.correct(to: part.body.count)
        return (lease, part)
    }

    // MARK: - A stream of parts

    /// Server-sent events, or on a socket parts of a response. The stream ends when the hub stops, when the token is no
    /// longer valid, when the cursor was reset, or when the hub cannot read: the client continues from its last cursor.
    private func stream(_ request: EventRequest, _ context: HubRequestContext) async throws -> Response {
        let session = try enter(request, context)
        var cursor = try await storage.logEnd()
        if let requested = request.cursor { cursor = requested }
        var response = JSONResponse.json(.ok, [])
        if let exchange = context.exchange {
            exchange.becomeStream()
        } else {
            await UnsentBytes.limit(HubLimits.eventStreamUnsentBytesMax, of: context.channel)
            response.headers[.contentType] = ServerSentEvents.contentType
            response.headers[ServerSentEvents.bufferingField] = "no"
        }
        response.body = ResponseBody { [cursor] writer in
            do {
                try await write(request, from: cursor, session, context, to: &writer)
            } catch let error where error is HubHTTPError || error is HubStorageError {
                context.logger.debug("event stream ended", metadata: ["error": "\(error)"])
            }
            try await writer.finish(nil)
        }
        return response
    }

    @concurrent
    private func write(
        _ request: EventRequest, from start: LogCursor, _ session: EventSession, _ context: HubRequestContext,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        // The end of the response waits for a slow reader; its session does not.
        defer { session.leave() }
        var request = request
        request.limit = min(request.limit, HubLimits.eventStreamPartMax)
        let bytesMax =
            HubLimits.eventStreamPartBytesMax - (request.seen == nil ? 0 : HubLimits.ephemeralPartBytesMax)
        var cursor = start
        /// The last part that was sent.
        var sent: EventPart?
        var drain: ResponseDrain?
        /// Fixed, so that a busy stream ends with its token, too.
        var nextCheck = notifier.now() + commentInterval
        while true {
            guard await context.isReadyForPart() else { return }
            if notifier.now() >= nextCheck {
                guard try await context.isAuthorized(storage) else { return }
                nextCheck = notifier.now() + commentInterval
            }
            try await session.prepare(storage)
            let (lease, part) = try await part(request, after: cursor, session, bytesMax, context)
            cursor = part.cursor
            if request.seen != nil {
                // A reader that is behind clears what it knew.
                if !part.isUpToDate { request.seen = .start } else if let seen = part.seen { request.seen = seen }
            }
            let isOwed = !part.isIdle || sent?.isUpToDate != true || Self.isFar(sent?.cursor, from: cursor.position)
            if isOwed {
                let bytes = form(part, context)
                lease.correct(to: bytes.readableBytes)
                try await writer.write(bytes)
                drain = context.drain(releasing: lease)
                sent = part
                sent?.body = ResponseParts([])
            } else {
                lease.correct(to: 0)
            }
            if part.isReset { return }
            var wake = EventNotifier.Wake.changed
            repeat {
                if part.isUpToDate, !part.hasMoreEphemeral {
                    wake = await session.wait(after: cursor.position, until: notifier.now() + commentInterval)
                }
                if wake == .ended { return }
                // The next part is read when this one has left.
                if let drain, await !session.wait(for: drain) { return }
                drain = nil
                if wake == .deadline {
                    guard try await context.isAuthorized(storage) else { return }
                    nextCheck = notifier.now() + commentInterval
                    // A socket has signs of life of its own.
                    if context.exchange == nil { try await writer.write(ServerSentEvents.comment) }
                    if Self.isFar(sent?.cursor, from: notifier.knownPosition) { wake = .changed }
                }
            } while wake != .changed
        }
    }

    /// The bytes of one part: an event, or on a socket its data alone.
    private func form(_ part: EventPart, _ context: HubRequestContext) -> ByteBuffer {
        guard context.exchange != nil else { return ServerSentEvents.event(part.body, id: part.cursor.text) }
        var bytes = ByteBuffer()
        for buffer in part.body.parts { bytes.writeImmutableBuffer(buffer) }
        return bytes
    }

    /// Whether a reader of quiet topics needs a new cursor: its present one would grow too old.
    private static func isFar(_ cursor: LogCursor?, from position: Int64) -> Bool {
        cursor.map { position - $0.position > HubLimits.eventCursorDistanceMax } ?? true
    }
}
