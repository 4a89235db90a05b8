import Causeway
import CausewayControlAPI
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The routes of the control socket. Parsing and encoding only; the service does the work.
///
/// | request | input → response |
/// | --- | --- |
/// | `GET /v1/status` | `StatusResponse` |
/// | `POST /v1/login`, `/v1/logout` | `LoginRequest` → `SessionDTO`; `LogoutReport` |
/// | `POST /v1/messages` | a `OutgoingMessage`, an array of them, or NDJSON (`application/x-ndjson`) → `SendReport` |
/// | `POST /v1/files` | an `OutgoingMedia` on one line, then the bytes of the file → `SendReport` |
/// | `GET /v1/messages/{id}/file`, with `Range: bytes=N-` | the bytes of the message's file |
/// | `GET /v1/messages/{id}` | `MessageDTO` |
/// | `GET /v1/messages/{id}/result?withinMs=` | `DeliveryResultResponse` |
/// | `POST /v1/messages/{id}/edit`, `/v1/messages/{id}/reactions` | `EditRequest`, `ReactionRequest` → `MessageDTO` |
/// | `GET /v1/channels/{channel}/messages?limit=&after=&refresh=` | `MessageListResponse` |
/// | `GET /v1/channels/{channel}/messages/live?limit=` | Server-Sent Events, each a `FollowEvent` |
/// | `GET /v1/outbox?channel=&state=&order=&limit=&after=` | `MessageListResponse` |
/// | `GET /v1/failed?channel=&limit=&after=` | `MessageListResponse` |
/// | `GET /v1/activity` | `ActivityResponse` |
/// | `GET /v1/events` | Server-Sent Events, each an `ActivityResponse` |
/// | `POST /v1/resend`, `POST /v1/delete` | `{"ids":[…]}` → `ChangeReport` |
/// | `POST /v1/resend-failed`, `POST /v1/delete-failed` | `{"channel":…}` or `{}` → `ChangeReport` |
/// | `GET /v1/delete-actions?limit=&before=` | `DeleteActionListResponse` |
/// | `POST /v1/pause`, `/v1/resume`, `/v1/probe` | `{}` |
/// | `GET /v1/records/{kind}?list=&scope=&order=&limit=&after=&refresh=` | `RecordPageResponse` |
/// | `POST /v1/records` | `RecordWriteRequest` → `RecordWriteResponse` |
/// | `GET /v1/config` | `SettingsResponse` |
/// | `POST /v1/upkeep` | `UpkeepRequest` → `UpkeepStatus` |
/// | `GET /v1/upkeep` | an array of at most one `UpkeepStatus` |
struct ControlRoutes: Sendable {
    typealias Context = BasicRequestContext

    let service: any ControlService
    let logger: Logger
    /// The settings of the process; `nil` when it has none to show.
    let settings: SettingsResponse?

    var router: Router<Context> {
        let router = Router(context: Context.self)
        router.middlewares.add(ProblemResponses(logger: logger))
        router.middlewares.add(BrowserRefusal())
        addSession(to: router)
        addSending(to: router)
        addFiles(to: router)
        addOperations(to: router)
        addReading(to: router)
        addFollowing(to: router)
        addChanging(to: router)
        addRecords(to: router)
        addUpkeep(to: router)
        return router
    }

    private func addUpkeep(to router: Router<Context>) {
        router.get("/v1/upkeep") { _, _ in
            let last = try await service.upkeep()
            return try respond(last.map { [$0] } ?? [])
        }
        router.post("/v1/upkeep") { request, _ in
            let work = try await RequestBody.json(UpkeepRequest.self, from: request)
            let status = try await service.beginUpkeep(work)
            logger.notice("store work began", metadata: ["work": "\(work.work.rawValue)"])
            return try respond(status)
        }
    }

    private func addSession(to router: Router<Context>) {
        router.get("/v1/status") { _, _ in try respond(try await service.status()) }
        router.get("/v1/activity") { _, _ in try respond(try await service.activity()) }
        router.get("/v1/events") { _, _ in events() }
        router.post("/v1/login") { request, _ in try await login(request) }
        router.post("/v1/logout") { _, _ in
            let report = try await service.logout()
            logger.info("logged out", metadata: ["unsent": "\(report.unsent)"])
            return try respond(report)
        }
        router.post("/v1/pause") { _, _ in
            try await service.setPaused(true)
            logger.notice("outbox paused")
            return try respond([String: String]())
        }
        router.post("/v1/resume") { _, _ in
            try await service.setPaused(false)
            logger.notice("outbox resumed")
            return try respond([String: String]())
        }
        router.get("/v1/config") { _, _ in
            guard let settings else { throw ControlError(.notFound, "this process has no settings to show") }
            return try respond(settings)
        }
        router.post("/v1/probe") { _, _ in
            try await service.probe()
            return try respond([String: String]())
        }
    }

    /// A separate function that reads its body in one: inlined, they crash the optimiser of Swift 6.3.1.
    @inline(never)
    private func login(_ request: Request) async throws -> Response {
        let login = try await RequestBody.json(LoginRequest.self, from: request)
        let session: SessionDTO
        do throws(ControlError) {
            session = try await service.login(login)
        } catch {
            // Nothing has accepted this address: it is what a user typed.
            logger.notice(
                "login failed",
                metadata: [
                    "server": "\(ServerAddress.loggable(login.server))", "reason": "\(error.code.rawValue)",
                    "detail": "\(error.detail)",
                ])
            throw error
        }
        logger.info("logged in", metadata: ["user": "\(session.user)", "server": "\(session.server)"])
        return try respond(session)
    }

    private func addSending(to router: Router<Context>) {
        router.post("/v1/messages") { request, _ in
            let messages = try await RequestBody.messages(from: request)
            return try respond(try await service.send(messages), status: .created)
        }
        router.get("/v1/messages/:id/result") { request, context in
            let id = try messageID(context)
            let milliseconds = try number("withinMs", in: request) ?? 0
            let limit = Duration.milliseconds(max(0, milliseconds))
            // A wait must not delay the shutdown of the daemon.
            return try await cancelWhenGracefulShutdown {
                try respond(try await service.result(of: id, within: limit))
            }
        }
    }

    private func addOperations(to router: Router<Context>) {
        router.post("/v1/messages/:id/edit") { request, context in
            let body = try await RequestBody.json(EditRequest.self, from: request)
            return try respond(try await service.edit(try messageID(context), body))
        }
        router.post("/v1/messages/:id/reactions") { request, context in
            let body = try await RequestBody.json(ReactionRequest.self, from: request)
            return try respond(try await service.react(try messageID(context), body))
        }
    }

    private func addReading(to router: Router<Context>) {
        router.get("/v1/messages/:id") { _, context in
            try respond(try await service.message(try messageID(context)))
        }
        router.get("/v1/channels/:channel/messages") { request, context in
            let name = context.parameters.get("channel") ?? ""
            let query = ChannelQuery(
                channel: try channelID(name), range: try range(request), refresh: try refresh(in: request))
            return try respond(try await service.messages(query))
        }
        router.get("/v1/outbox") { request, _ in try respond(try await service.outbox(try outboxQuery(request))) }
        router.get("/v1/failed") { request, _ in
            let channel = try text("channel", in: request).map(channelID)
            return try respond(try await service.failed(in: channel, try range(request)))
        }
        router.get("/v1/delete-actions") { request, _ in
            let limit = try number("limit", in: request).map { Int(clamping: $0) } ?? Limits.pageSizeDefault
            return try respond(
                try await service.deleteActions(limit: limit, before: try number("before", in: request)))
        }
    }

    private func addChanging(to router: Router<Context>) {
        router.post("/v1/resend") { request, _ in
            try respond(
                try await service.resend(try await RequestBody.json(MessageSelection.self, from: request).checked))
        }
        router.post("/v1/resend-failed") { request, _ in
            let chosen = try await RequestBody.json(ChannelFilter.self, from: request)
            return try respond(try await service.resendFailed(in: chosen.channel))
        }
        router.post("/v1/delete") { request, _ in
            let chosen = try await RequestBody.json(MessageSelection.self, from: request)
            return try respond(try await service.delete(try chosen.checked, by: chosen.by ?? .api))
        }
        router.post("/v1/delete-failed") { request, _ in
            let chosen = try await RequestBody.json(ChannelFilter.self, from: request)
            return try respond(try await service.deleteFailed(in: chosen.channel, by: chosen.by ?? .api))
        }
    }

    private func events() -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                do {
                    for try await activity in service.watch().cancelOnGracefulShutdown() {
                        try await writer.write(try Self.event(activity))
                    }
                } catch let error as ControlError {
                    // The response head has already been sent.
                    try await writer.write(try Self.event(ErrorResponse(error), name: "problem"))
                }
                try await writer.finish(nil)
            })
    }

    // MARK: - Parts of a request

    func messageID(_ context: Context) throws(ControlError) -> MessageID {
        try MessageID(written: context.parameters.get("id") ?? "")
    }

    func channelID(_ name: String) throws(ControlError) -> ChannelID { try ChannelID(named: name) }

    func refresh(in request: Request) throws(ControlError) -> ChannelQuery.Refresh {
        guard let refresh = try text("refresh", in: request).map(ChannelQuery.Refresh.init) ?? .auto else {
            throw ControlError(.badRequest, "invalid `refresh`; use auto, required or never")
        }
        return refresh
    }

    func text(_ name: String, in request: Request) throws(ControlError) -> String? {
        request.uri.queryParameters[Substring(name)].map(String.init)
    }

    func number(_ name: String, in request: Request) throws(ControlError) -> Int64? {
        guard let text = try text(name, in: request) else { return nil }
        guard let number = Int64(text) else { throw ControlError(.badRequest, "`\(name)` must be a whole number") }
        return number
    }

    private func range(_ request: Request) throws(ControlError) -> PageRange {
        let limit = try number("limit", in: request).map { Int(clamping: $0) } ?? Limits.pageSizeDefault
        guard let text = try text("after", in: request) else { return PageRange(limit: limit) }
        guard let mark = PageCursor(text) else {
            throw ControlError(.badRequest, "invalid cursor in `after`; use the `next` value of the previous page")
        }
        return PageRange(limit: limit, after: mark)
    }

    private func outboxQuery(_ request: Request) throws(ControlError) -> OutboxQuery {
        let state = try text("state", in: request).map { text throws(ControlError) in
            guard let state = SyncState(rawValue: text), state != .synced else {
                throw ControlError(.badRequest, "invalid `state`; use created, uploading, syncing or error")
            }
            return state
        }
        let order = try text("order", in: request) ?? "oldest"
        guard ["oldest", "newest"].contains(order) else {
            throw ControlError(.badRequest, "invalid `order`; use oldest or newest")
        }
        return OutboxQuery(
            channel: try text("channel", in: request).map(channelID), state: state, newestFirst: order == "newest",
            range: try range(request))
    }

    func respond(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws(ControlError) -> Response {
        try Response(json: value, status: status)
    }
}
