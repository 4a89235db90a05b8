import CausewayControlAPI
import CausewayHTTPServer
import CausewayModels
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The routes of the page. Holds no state of its own.
struct PageRouter: Sendable {
    let daemon: DaemonClient
    let watch: DaemonWatch
    let sessions: SessionStore
    let login: LoginThrottle
    let notices: FlashMessages
    let renderer: PageRenderer
    let showsBodies: Bool
    let logger: Logger
    /// The clock for logins and for the limit on wrong tokens.
    let clock: @Sendable () -> MonotonicTime

    func build(sites: @escaping @Sendable () -> AllowedHosts?) -> Router<PageContext> {
        let router = Router(context: PageContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: SecurityHeadersMiddleware(renderer: renderer, logger: logger))
        router.add(middleware: RequestGuardMiddleware(sites: sites, sessions: sessions, clock: clock))
        router.get("login") { _, context in loginForm(context) }
        router.post("login") { request, context in try await logIn(request, context) }
        router.get("healthz") { _, _ in try await health() }
        addAssets(to: router)
        if sessions.needsLogin {
            addPages(to: router.group("s/{key}"))
        } else {
            addPages(to: router)
        }
        return router
    }

    /// The routes that need a session.
    private func addPages(to router: some RouterMethods<PageContext>) {
        router.get("") { request, context in try await overview(request, context) }
        router.get("outbox") { request, context in try await outbox(request, context) }
        router.get("failed") { request, context in try await failed(request, context) }
        router.get("messages") { request, context in try await messages(request, context) }
        router.get("messages/{id}") { request, context in try await message(request, context) }
        router.get("delete-actions") { request, context in try await deleteActions(request, context) }
        router.get("delete-actions.csv") { _, _ in try await deleteActionsFile() }
        router.get("confirm") { request, context in try await confirm(request, context) }
        router.post("actions") { request, context in try await act(request, context) }
        router.post("logout") { request, context in try await logOut(request, context) }
        router.get("events") { _, _ in try events() }
        addJSON(to: router)
    }

    private func addJSON(to router: some RouterMethods<PageContext>) {
        router.get("api/overview") { _, _ in try PageJSON.response(try await daemon.reading.activity()) }
        router.get("api/outbox") { request, _ in
            let query = try ListQuery(path: "", Self.fields(request))
            return try PageJSON.response(hidden(try await daemon.reading.outbox(query.outbox)))
        }
        router.get("api/failed") { request, _ in
            var query = try ListQuery(path: "", Self.fields(request), newestFirst: true)
            query.state = .error
            return try PageJSON.response(hidden(try await daemon.reading.outbox(query.outbox)))
        }
        router.get("api/delete-actions") { request, _ in
            let (limit, before) = try Self.deletionRange(Self.fields(request))
            return try PageJSON.response(try await daemon.reading.deleteActions(limit: limit, before: before))
        }
        router.get("api/messages") { request, _ in
            let query = try ListQuery(path: "", Self.fields(request))
            guard let channel = query.channel else { throw PageError.badRequest("Which `channel`?") }
            let range = PageRange(limit: query.limit, after: query.after)
            return try PageJSON.response(
                hidden(try await daemon.reading.messages(ChannelQuery(channel: channel, range: range, refresh: .never)))
            )
        }
        router.get("api/messages/{id}") { _, context in
            try PageJSON.response(hidden(try await daemon.reading.message(try Self.messageID(context))))
        }
    }

    private func addAssets(to router: Router<PageContext>) {
        let assets: [(RouterPath, String, [UInt8])] = [
            ("assets/page.css", "text/css; charset=utf-8", PackageResources.page_css),
            ("assets/page.js", "text/javascript; charset=utf-8", PackageResources.page_js),
            ("assets/icon.svg", "image/svg+xml", PackageResources.icon_svg),
        ]
        for (path, type, bytes) in assets {
            let body = ByteBuffer(bytes: bytes)
            router.get(path) { _, _ in
                Response(
                    status: .ok,
                    headers: [
                        .contentType: type, .contentLength: String(body.readableBytes),
                        .cacheControl: "private, max-age=300",
                    ],
                    body: ResponseBody(byteBuffer: body))
            }
        }
    }

    private func health() async throws -> Response {
        do throws(ControlError) {
            _ = try await daemon.reading.status()
            return try PageJSON.response(["status": "ok"])
        } catch {
            return try PageJSON.response(["status": error.code.rawValue], status: .serviceUnavailable)
        }
    }

    /// Responds with a stream that signals changes. It carries no content: the changes are on the pages.
    private func events() throws -> Response {
        guard let news = watch.news() else {
            throw PageError(
                .serviceUnavailable, title: "Too many pages", text: "Too many pages are subscribed to the events.",
                headers: [.retryAfter: "30"])
        }
        let end = ContinuousClock.now + .seconds(StatusPageLimits.listeningSecondsMax)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                for await item in news {
                    let text =
                        switch item {
                        case .up(let version): "event: up\ndata: {\"version\":\(version)}\n\n"
                        case .busy: "event: busy\ndata: {}\n\n"
                        case .down: "event: down\ndata: {}\n\n"
                        }
                    try await writer.write(ByteBuffer(string: text))
                    if ContinuousClock.now > end { break }
                }
                try await writer.finish(nil)
            })
    }

    // MARK: - Parts of requests and responses

    static func fields(_ request: Request) throws(PageError) -> FormFields {
        guard let fields = FormFields(request.uri.query ?? "") else {
            throw .badRequest("The address is malformed: a parameter is not text, or occurs twice.")
        }
        return fields
    }

    static func deletionRange(_ fields: FormFields) throws(PageError) -> (limit: Int, before: Int64?) {
        let before = try fields["before"].map { text throws(PageError) in
            guard let before = Int64(text) else { throw .badRequest("Invalid cursor; go back to the first page.") }
            return before
        }
        return (try ListQuery.limit(fields), before)
    }

    static func messageID(_ context: PageContext) throws(PageError) -> MessageID {
        guard let id = MessageID(context.parameters.get("id") ?? "") else { throw .notFound }
        return id
    }

    private func hidden(_ list: MessageListResponse) -> MessageListResponse { list.mapMessages(hidden) }

    private func hidden(_ message: MessageDTO) -> MessageDTO {
        guard !showsBodies else { return message }
        var message = message
        message.text = nil
        message.custom = nil
        message.unknown = nil
        // A tiny picture of the content.
        message.attachment?.preview = nil
        return message
    }
}
