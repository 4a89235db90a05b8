import CausewayControlAPI
import CausewayHTTPServer
import CausewayModels
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The pages that make changes: a question by `GET`, the action by `POST`, then a page with the result.
extension PageRouter {
    /// Asks for confirmation. Changes nothing.
    func confirm(_ request: Request, _ context: PageContext) async throws -> Response {
        let fields = try Self.fields(request)
        guard try context.requireSession().mayChange else { throw PageError.readOnly }
        guard let action = fields["do"].flatMap(MessageAction.init) else {
            throw PageError.badRequest("The action is missing or unknown.")
        }
        let ids = try Self.ids(fields)
        let channel = try Self.channel(fields)
        let frame = try await frame("Please confirm", nil, request, context, isLive: false)
        guard action.isForAll || !ids.isEmpty else {
            throw PageError(
                .badRequest, title: "Nothing selected", text: "Select at least one row.",
                advice: "Go back, select rows with their checkboxes, and try again.")
        }
        var values: [String: Any] = [
            "deed": action.rawValue, "isDanger": action.isDanger, "yes": action.yes, "consequence": action.consequence,
            "ids": ids.map(\.description),
        ]
        if let channel { values["channel"] = channel.value }
        if fields["from"] == Self.fromMessage { values["from"] = Self.fromMessage }
        values["back"] = Self.origin(fields, ids, channel, root: context.root)
        let (items, others) = try await listed(action, ids, channel)
        if items.isEmpty, !action.isForAll {
            throw PageError(
                .notFound, title: "Nothing to do", text: "None of these messages exists any longer.",
                advice: "Deleted messages are listed under Delete actions.")
        }
        let changes = items.count { $0["isChange"] as? Bool == true }
        let number =
            ids.count > StatusPageLimits.listedMax
            ? "\(PageNumber.text(ids.count)) messages, edits and reactions"
            : OperationCount(messages: ids.count - changes, changes: changes).text(number: PageNumber.text)
        values["question"] = action.question(number, channel: channel?.value)
        values["items"] = items
        if let others { values["others"] = others }
        return renderer.page(.confirm, values, in: frame)
    }

    /// Returns the first few of the affected messages, and how many more there are.
    private func listed(
        _ action: MessageAction, _ ids: [MessageID], _ channel: ChannelID?
    ) async throws -> (items: [[String: Any]], others: String?) {
        if action.isForAll {
            let range = PageRange(limit: StatusPageLimits.listedMax)
            let query = OutboxQuery(channel: channel, state: .error, newestFirst: true, range: range)
            let list = try await daemon.reading.outbox(query)
            let more = list.next == nil ? nil : "and all others that have failed at the time of your confirmation"
            return (list.messages.map(MessageRowView.parts), list.messages.isEmpty ? "none at the moment" : more)
        }
        var items: [[String: Any]] = []
        for id in ids.prefix(StatusPageLimits.listedMax) {
            do throws(ControlError) {
                items.append(MessageRowView.parts(of: try await daemon.reading.message(id)))
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
        let more = ids.count - StatusPageLimits.listedMax
        return (items, more > 0 ? "and \(PageNumber.text(more)) more" : nil)
    }

    /// Performs the action, and redirects to the page with the result.
    func act(_ request: Request, _ context: PageContext) async throws -> Response {
        guard try context.requireSession().mayChange else { throw PageError.readOnly }
        let form = try await Self.form(request)
        guard CrossSiteRequestRules.hasValidCSRFToken(try context.requireSession().csrfToken, form) else {
            throw PageError.forged("Its CSRF token is missing or invalid.")
        }
        guard let action = form["do"].flatMap(MessageAction.init) else {
            throw PageError.badRequest("The action is missing or unknown.")
        }
        let ids = try Self.ids(form)
        let channel = try Self.channel(form)
        let report: ChangeReport
        switch action {
        case .resend, .delete:
            guard !ids.isEmpty else { throw PageError.badRequest("No message is selected.") }
            report =
                action == .resend
                ? try await daemon.changing.resend(ids) : try await daemon.changing.delete(ids, by: .statusPage)
        case .resendAll: report = try await daemon.changing.resendFailed(in: channel)
        case .deleteAll: report = try await daemon.changing.deleteFailed(in: channel, by: .statusPage)
        }
        logger.notice("action carried out", metadata: ["action": "\(action.rawValue)", "count": "\(report.count)"])
        let notice = notices.put(action.notice(report.operations, asked: action.isForAll ? nil : Set(ids).count))
        return Response(
            status: .seeOther,
            headers: [
                // A deleted message has no page to return to.
                .location: action.isDanger
                    ? PageLink.to(context.root + "/failed", ["channel": channel?.value, "notice": notice])
                    : Self.origin(form, ids, channel, root: context.root, notice: notice)
            ])
    }

    private static let fromMessage = "message"

    /// The page that the question was asked from: that of the single message, or the list of failed messages.
    private static func origin(
        _ fields: FormFields, _ ids: [MessageID], _ channel: ChannelID?, root: String, notice: String? = nil
    ) -> String {
        if fields["from"] == fromMessage, ids.count == 1, let id = ids.first {
            return PageLink.to(root + "/messages/\(id)", ["notice": notice])
        }
        return PageLink.to(root + "/failed", ["channel": channel?.value, "notice": notice])
    }

    // MARK: - Login

    func loginForm(_ context: PageContext) -> Response {
        guard context.session == nil else { return Response(status: .seeOther, headers: [.location: "/"]) }
        return loginPage(problem: nil, status: .ok)
    }

    private func loginPage(problem: String?, status: HTTPResponse.Status) -> Response {
        var values: [String: Any] = ["csrf": sessions.loginSecret]
        if let problem { values["problem"] = problem }
        return renderer.page(.login, values, in: PageLayout(title: "Log in", hasMenu: false), status: status)
    }

    func logIn(_ request: Request, _ context: PageContext) async throws -> Response {
        let form = try await Self.form(request)
        guard CrossSiteRequestRules.hasValidCSRFToken(sessions.loginSecret, form), let origin = context.origin else {
            throw PageError.forged("Its CSRF token is missing or invalid.")
        }
        switch try await login.judge(form["token"] ?? "", from: PeerAddress.text(of: context.channel), at: clock()) {
        case .right:
            let (cookie, key) = sessions.begin(at: clock())
            let root = PageAddress.root(of: key)
            logger.notice("logged in")
            return Response(
                status: .seeOther,
                headers: [
                    .location: root + "/", .setCookie: PageCookie.setting(cookie, origin: origin, root: root),
                ])
        case .wrong:
            logger.notice("login failed", metadata: ["reason": "wrong-token"])
            return loginPage(problem: "Wrong token.", status: .forbidden)
        case .wrongAgain(let seconds):
            var response = loginPage(
                problem: "Wrong token. Too many failed attempts from this address; try again later.",
                status: .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        case .busy:
            logger.debug("login failed", metadata: ["reason": "busy"])
            var response = loginPage(
                problem: "Too many tokens are being checked; try again.", status: .serviceUnavailable)
            response.headers[.retryAfter] = "1"
            return response
        }
    }

    func logOut(_ request: Request, _ context: PageContext) async throws -> Response {
        let form = try await Self.form(request)
        guard CrossSiteRequestRules.hasValidCSRFToken(try context.requireSession().csrfToken, form),
            let origin = context.origin
        else {
            throw PageError.forged("Its CSRF token is missing or invalid.")
        }
        if let cookie = PageCookie.value(in: request.headers, origin: origin) { sessions.end(cookie: cookie) }
        return Response(
            status: .seeOther,
            headers: [.location: "/login", .setCookie: PageCookie.clearing(origin: origin, root: context.root)])
    }

    // MARK: - Forms

    private static func form(_ request: Request) async throws -> FormFields {
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= StatusPageLimits.formBytesMax else { throw PageError.tooLarge }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: StatusPageLimits.formBytesMax)
        } catch is NIOTooManyBytesError {
            throw PageError.tooLarge
        }
        guard let form = FormFields(String(buffer: body)) else {
            throw PageError.badRequest("The form is malformed: a field is not text, or occurs twice.")
        }
        return form
    }

    private static func ids(_ fields: FormFields) throws(PageError) -> [MessageID] {
        let texts = fields.all("id")
        guard texts.count <= StatusPageLimits.chosenMax else {
            throw .badRequest("At most \(StatusPageLimits.chosenMax) messages can be selected at once.")
        }
        return try texts.map { text throws(PageError) in
            guard let id = MessageID(text) else { throw .badRequest("Invalid message id.") }
            return id
        }
    }

    private static func channel(_ fields: FormFields) throws(PageError) -> ChannelID? {
        try fields["channel"].map { text throws(PageError) in
            guard let channel = ChannelID(text) else { throw .badRequest("Invalid channel name.") }
            return channel
        }
    }
}
