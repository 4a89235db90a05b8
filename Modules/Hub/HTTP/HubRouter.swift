internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The routes of the hub. Holds no state of its own.
struct HubRouter: Sendable {
    /// The hub's name and version, for display.
    static let serverName = "causeway-hub/0.1"

    let storage: any HubStorage
    let history: HubHistory
    let reader: MessageReader
    let recordReader: RecordReader
    let channels: ChannelCreator
    let writer: DeliveryWriter
    let budget: BodyLimiter
    let decoder = DeliveryDecoder()
    let responses: ResponseShares
    let events: EventResponder
    let typing: TypingReceiver
    let uploads: UploadResponder
    let blobs: BlobResponder
    let accountConnections: AccountConnections
    let sockets: SocketOpener
    let faults: HubFaults?
    /// How long it takes a peer to earn one more failed attempt.
    let attemptRefill: Duration

    func build() -> Router<HubRequestContext> {
        let router = Router(context: HubRequestContext.self)
        // Requests on sockets take the same way, so that the same shares and counts apply.
        let middlewares = (AuthenticationMiddleware(storage, refill: attemptRefill), RequestShares())
        let onSockets = Router(context: HubRequestContext.self)
        addRoutes(to: onSockets, middlewares, sockets: nil)
        addRoutes(to: router, middlewares, sockets: ChildTaskResponder(onSockets.buildResponder()))
        return router
    }

    /// - Parameter sockets: handles the requests of sockets.
    private func addRoutes(
        to router: Router<HubRequestContext>,
        _ middlewares: (authentication: AuthenticationMiddleware, shares: RequestShares),
        sockets responder: (any HTTPResponder<HubRequestContext>)?
    ) {
        router.add(middleware: ErrorMiddleware(faults: faults))
        let authenticated = router.group().add(middleware: middlewares.authentication)
            .add(middleware: HistoryHeaderMiddleware(history: history))
            .add(middleware: accountConnections)
        let lasting = authenticated.group().add(middleware: HistoryGate(history: history))
        let admitted = authenticated.group().add(middleware: middlewares.shares)
            .add(middleware: HistoryGate(history: history))
        for route in HubRoute.allCases {
            let group: any RouterMethods<HubRequestContext> =
                if !route.needsAccount { router } else if route.isLasting { lasting } else { admitted }
            group.on(RouterPath(route.path), method: route.method) { request, context in
                if route == .socket, let responder {
                    return try await sockets.open(request, context, responder, history)
                }
                guard route.isOnSockets || context.exchange == nil else { throw HubHTTPError.needsConnection }
                var context = context
                context.acceptsGzip = context.exchange == nil && ContentCoding.acceptsGzip(request.headers)
                return try await respond(route, request, context)
            }
        }
    }

    private func respond(
        _ route: HubRoute, _ request: Request, _ context: HubRequestContext
    ) async throws -> Response {
        switch route {
        case .health: try health()
        case .contract: JSONResponse.json(.ok, PackageResources.openapi_json)
        case .socketContract: JSONResponse.json(.ok, PackageResources.asyncapi_json)
        case .session: try await session(request, context)
        case .channel: try await putChannel(context)
        case .typing: try await receiveTyping(request, context)
        case .messages: try await page(request, context)
        case .changes: try await changes(request, context)
        case .message: try await message(context)
        case .record: try await record(context)
        case .records: try await records(request, context)
        case .events: try await events(request, context)
        case .socket: throw HubHTTPError.needsConnection
        case .deliveries: try await deliver(request, context)
        case .uploadLimits: try await uploads.limits(request, context)
        case .uploads: try await uploads.create(request, context)
        case .uploadState: try await uploads.state(request, context)
        case .upload: try await uploads.append(request, context)
        case .uploadCancellation: try await uploads.cancel(context)
        case .blobHead, .blob: try await blob(request, context)
        }
    }

    /// Fails from a failure of the storage until it has been reopened and verified.
    private func health() throws -> Response {
        guard storage.isHealthy else { throw HubStorageError.recovering(path: "hub") }
        return JSONResponse.json(.ok, Array(#"{"status":"ok"}"#.utf8))
    }

    private func session(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let account = try context.requireAccount()
        var session = WireSession(
            user: account.user, server: Self.serverName, fileBytesMax: uploads.files.limits.fileBytesMax)
        let outbox = try outbox(in: request.uri.queryParameters)
        var response: Response
        if !context.knowsHistory, let outbox {
            response = try await responses.respond(context) {
                let marks = try await storage.marks(of: OutboxKey(account: account.number, id: outbox))
                session.marks = marks.mapValues(\.mark)
                session.movers = marks.compactMapValues(\.mover)
                return ResponseParts(try HubCoding.encode(session))
            }
        } else {
            response = try JSONResponse.json(session)
        }
        // A client asks for its session before anything else.
        response.headers[.acceptEncoding] = ContentCoding.accepted
        return response
    }

    // MARK: - Channels

    private func putChannel(_ context: HubRequestContext) async throws -> Response {
        let (row, isNew) = try await channels.put(try channelID(context), context)
        return JSONResponse.json(isNew ? .created : .ok, try RecordReader.encoded(row))
    }

    private func page(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let id = try channelID(context)
        let query = request.uri.queryParameters
        let limit = try number("limit", in: query) ?? Int64(Limits.pageSizeDefault)
        guard limit > 0 else { throw badQuery("limit must be above 0") }
        let range: MessageRange
        switch (try number("after", in: query), try number("before", in: query)) {
        case (nil, nil): range = .newest
        case (let after?, nil): range = .after(after)
        case (nil, let before?): range = .before(before)
        case (_?, _?): throw badQuery("after and before exclude each other")
        }
        let filter = try messageFilter(in: query)
        let includesDeleted = try flag(WireProtocol.includingDeleted, in: query)
        let bounded = Int(min(limit, Int64(Limits.pageSizeMax)))
        return try await paged(id, context) { account in
            try await reader.page(
                of: id, range, matching: filter, includesDeleted: includesDeleted, limit: bounded, for: account)
        }
    }

    private func messageFilter(in query: Parameters) throws -> MessageFilter {
        var filter = MessageFilter()
        let types = query.getAll("type")
        if let name = types.first {
            filter.type = MessageType(name: String(name))
            guard types.count == 1, filter.isValid else {
                throw badQuery("type must be one name of 1 to \(Limits.messageTypeBytesMax) ASCII characters")
            }
        }
        let parents = query.getAll("parent")
        if let text = parents.first {
            guard parents.count == 1 else { throw badQuery("parent must be given once") }
            if text == WireProtocol.noParent {
                filter.parent = .noParent
            } else if let id = MessageID(String(text)) {
                filter.parent = .parent(id)
            } else {
                throw badQuery("parent must be the id of a message, or none")
            }
        }
        filter.includingTags = Set(query.getAll(WireProtocol.includingTag).map { String($0) })
        filter.excludingTags = Set(query.getAll(WireProtocol.excludingTag).map { String($0) })
        guard filter.isValid else {
            throw badQuery(
                "at most \(Limits.tagsMax) tags of 1 to \(Limits.tagBytesMax) bytes can be included, and excluded")
        }
        return filter
    }

    private func changes(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let id = try channelID(context)
        let query = request.uri.queryParameters
        let limit = try number("limit", in: query) ?? Int64(Limits.pageSizeDefault)
        guard limit > 0 else { throw badQuery("limit must be above 0") }
        guard let through = try number("through", in: query) else { throw badQuery("through is missing") }
        let cursors = query.getAll("since")
        guard cursors.count == 1, let since = ChangesCursor(String(cursors[0])) else {
            throw badQuery("since must be one cursor of a page")
        }
        let part = ChangesQuery(
            since: since, from: try number("from", in: query) ?? 1, through: through,
            isOpen: try flag("open", in: query))
        let bounded = Int(min(limit, Int64(Limits.pageSizeMax)))
        return try await paged(id, context) { account in
            try await reader.changes(of: id, part, limit: bounded, for: account)
        }
    }

    /// Responds with messages of a channel that `read` encodes as JSON.
    private func paged(
        _ id: ChannelID, _ context: HubRequestContext, _ read: (HubAccount) async throws -> ResponseParts?
    ) async throws -> Response {
        let account = try context.requireAccount()
        return try await responses.respond(context, reserving: HubLimits.pageBytesMax) {
            guard let page = try await read(account) else {
                throw HubHTTPError.notFound("no channel named \(id)", code: "channelNotFound")
            }
            return page
        }
    }

    func number(_ name: Substring, in query: Parameters) throws -> Int64? {
        let values = query.getAll(String(name))
        guard let text = values.first else { return nil }
        guard values.count == 1, let value = Int64(text), value >= 0 else {
            throw badQuery("\(name) must be one whole number, at least 0")
        }
        return value
    }

    /// - Returns: false if it is missing.
    private func flag(_ name: String, in query: Parameters) throws -> Bool {
        switch query.getAll(name) {
        case [], ["0"]: return false
        case ["1"]: return true
        default: throw badQuery("\(name) must be 0 or 1")
        }
    }

    func badQuery(_ detail: String) -> HubHTTPError {
        HubHTTPError(.badRequest, code: "queryInvalid", detail: "invalid query: \(detail)")
    }

    func channelID(_ context: HubRequestContext) throws -> ChannelID {
        let text = try context.parameters.require("channel").removingPercentEncoding ?? ""
        guard let id = ChannelID(text) else {
            throw HubHTTPError(
                .badRequest, code: "nameInvalid",
                detail: "the channel's name \(Name.problem(with: text) ?? "is wrong")")
        }
        return id
    }

    // MARK: - Records

    private func record(_ context: HubRequestContext) async throws -> Response {
        let account = try context.requireAccount()
        let id = try context.parameters.require("record").removingPercentEncoding ?? ""
        let key = RecordKey(kind: try kind(context), id: id)
        return try await responses.respond(context) { try await recordReader.record(key, for: account) }
    }

    private func records(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let account = try context.requireAccount()
        let query = request.uri.queryParameters
        guard let name = try text("list", in: query) else { throw badQuery("list is missing") }
        let list = RecordList(kind: try kind(context), name: name, scope: try text("scope", in: query) ?? "")
        var range = RecordRange()
        switch try text("order", in: query) ?? "ascending" {
        case "ascending": break
        case "descending": range.isDescending = true
        default: throw badQuery("order must be ascending or descending")
        }
        if let after = try text("after", in: query) {
            guard let cursor = ListCursor(after) else {
                throw badQuery("after must be the next of a page of the same list")
            }
            range.after = cursor
        }
        let limit = try number("limit", in: query) ?? Int64(Limits.pageSizeDefault)
        guard limit > 0 else { throw badQuery("limit must be above 0") }
        let bounded = Int(min(limit, Int64(Limits.pageSizeMax)))
        return try await responses.respond(context, reserving: HubLimits.pageBytesMax) {
            try await recordReader.page(of: list, range, limit: bounded, for: account)
        }
    }

    private func kind(_ context: HubRequestContext) throws -> RecordKind {
        let text = try context.parameters.require("kind").removingPercentEncoding ?? ""
        guard let kind = RecordKind(text) else {
            throw HubHTTPError(
                .badRequest, code: "nameInvalid", detail: "the kind's name \(Name.problem(with: text) ?? "is wrong")")
        }
        return kind
    }

    func outbox(in query: Parameters) throws -> OutboxID? {
        try text("outbox", in: query).map { text in
            guard let outbox = OutboxID(text) else { throw badQuery("outbox must be a UUID of 36 characters") }
            return outbox
        }
    }

    func text(
        _ name: Substring, in query: Parameters, bytesMax: Int = HubLimits.queryValueBytesMax
    ) throws -> String? {
        let values = query.getAll(String(name))
        guard values.count <= 1 else { throw badQuery("\(name) must be given once") }
        guard let text = values.first else { return nil }
        guard text.utf8.count <= bytesMax else { throw badQuery("\(name) is too long") }
        return text
    }

    // MARK: - Files

    private func blob(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let message = try text("message", in: request.uri.queryParameters).map { text in
            guard let message = MessageID(text) else { throw badQuery("message must be a UUID of 36 characters") }
            return message
        }
        return try await blobs.respond(request, through: message, context)
    }

    // MARK: - Messages

    private func message(_ context: HubRequestContext) async throws -> Response {
        guard let id = MessageID(try context.parameters.require("message")) else {
            throw HubHTTPError(
                .badRequest, code: "idInvalid", detail: "invalid message id; use a UUID of 36 characters")
        }
        let account = try context.requireAccount()
        return try await responses.respond(context) { try await reader.message(id, for: account) }
    }

    private func deliver(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let account = try context.requireAccount()
        let fault = faults?.next(.deliveries)
        if let fault, let response = try await fault.injectBefore(context.channel) { return response }
        try requireJSON(request)
        return try await budget.collecting(request, of: context.requireOwner()) { body in
            var delivery = try await decoder.decode(body, of: account)
            delivery.history = context.history
            // Before anything is applied: its response must have room.
            let lease = try responses.reserve(delivery.operations.count * HubLimits.resultBytes, context)
            let verdict = try await writer.apply(
                delivery, of: account, creationWait: try channels.wait(context), fault: fault)
            if case .report(let report, let newChannels) = verdict {
                try logDeletions(delivery, report, context)
                typing.end(of: account.user, delivery, report)
                for channel in newChannels { try channels.recordNew(channel, context) }
            }
            if let fault { try await fault.injectAfter(context.channel) }
            switch verdict {
            case .report(let report, _):
                return try await responses.respond(
                    ResponseParts(try HubCoding.encode(report)), holding: lease, context)
            case .forked:
                throw HubHTTPError(
                    .conflict, code: "storeForked",
                    detail: "another copy of this store has delivered messages since this one was made; "
                        + "nothing was applied; continue with a new outbox id")
            case .historyChanged:
                throw HubHTTPError(
                    .conflict, code: "historyChanged",
                    detail: "the hub was started again since, lost confirmed data, or is a different one; nothing was "
                        + "applied; request the session, and deliver again what is missing")
            case .superseded(let highest):
                throw HubHTTPError(
                    .conflict, code: "superseded",
                    detail: "the outbox has been opened again (epoch \(highest), this is \(delivery.epoch)); "
                        + "only the newest opening may deliver; nothing was applied")
            }
        }
    }

    private func logDeletions(
        _ delivery: ValidatedDelivery, _ report: WireReport, _ context: HubRequestContext
    ) throws {
        let deleted = zip(delivery.operations, report.results).filter { $1.kind == .deleted }.map { $0.0.id }
        guard !deleted.isEmpty else { return }
        let shown = deleted.prefix(HubLimits.loggedIDsMax).map(\.description).joined(separator: ",")
        let who = try context.who(["count": "\(deleted.count)", "ids": "\(shown)"])
        context.logger.notice("messages deleted", metadata: who)
    }

    func requireJSON(_ request: Request) throws {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == "application/json" else {
            throw HubHTTPError(
                .unsupportedMediaType, code: "contentTypeUnsupported",
                detail: "this request needs the content type application/json")
        }
    }
}
