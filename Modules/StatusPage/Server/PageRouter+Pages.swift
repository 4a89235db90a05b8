import CausewayControlAPI
import CausewayHTTPServer
import CausewayModels
import Foundation
import HTTPTypes
import Hummingbird

/// The read-only pages.
extension PageRouter {
    func overview(_ request: Request, _ context: PageContext) async throws -> Response {
        let activity = try await daemon.reading.activity()
        let frame = try frame("Overview", .overview, request, context, activity.status.counts)
        return renderer.page(
            .overview, OverviewView(activity: activity, now: frame.now, root: context.root).view, in: frame)
    }

    func outbox(_ request: Request, _ context: PageContext) async throws -> Response {
        let query = try ListQuery(path: context.root + "/outbox", Self.fields(request))
        let list = try await daemon.reading.outbox(query.outbox)
        let frame = try await frame("Outbox", .outbox, request, context)
        var values = rows(list, frame.now, query)
        let states: [(String, String)] = [
            ("", "All"), ("created", "created (waiting)"), ("uploading", "uploading"),
            ("syncing", "syncing (in flight)"),
            ("error", "error (failed)"),
        ]
        let options = states.map { value, label -> [String: Any] in
            ["value": value, "label": label, "isChosen": value == query.state?.rawValue ?? ""]
        }
        values["states"] = ["options": options]
        values["emptyText"] =
            if list.next != nil {
                "No match among the first few thousand messages; continue with Next page."
            } else {
                query.isFiltered ? "No message matches." : "The outbox is empty: all messages are on the server."
            }
        return renderer.page(.outbox, values, in: frame)
    }

    func failed(_ request: Request, _ context: PageContext) async throws -> Response {
        var query = try ListQuery(path: context.root + "/failed", Self.fields(request), newestFirst: true)
        query.state = .error
        let list = try await daemon.reading.outbox(query.outbox)
        let frame = try await frame("Failed", .failed, request, context)
        query.state = nil
        var values = rows(list, frame.now, query)
        values["emptyText"] = query.isFiltered ? "No message matches." : "Nothing has failed."
        values["resendAll"] = PageLink.to(
            context.root + "/confirm", ["do": "resend-all", "channel": query.channel?.value])
        values["deleteAll"] = PageLink.to(
            context.root + "/confirm", ["do": "delete-all", "channel": query.channel?.value])
        return renderer.page(.failed, values, in: frame)
    }

    func deleteActions(_ request: Request, _ context: PageContext) async throws -> Response {
        let (limit, before) = try Self.deletionRange(Self.fields(request))
        let list = try await daemon.reading.deleteActions(limit: limit, before: before)
        let frame = try await frame("Delete actions", .deleteActions, request, context)
        let view = DeleteActionsView(list: list, root: context.root, limit: limit, before: before, now: frame.now).view
        return renderer.page(.deleteActions, view, in: frame)
    }

    /// Responds with all delete actions as CSV, read and written in steps.
    func deleteActionsFile() async throws -> Response {
        // The first step before the response starts: a daemon that does not respond yields an error page, not a broken
        // file.
        let daemon = daemon
        let first = try await daemon.reading.deleteActions(limit: StatusPageLimits.csvRowsPerStep, before: nil)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8; header=present",
                .contentDisposition: "attachment; filename=\"delete-actions.csv\"",
            ],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: CSVText.row(DeleteActionsView.csvTitles)))
                var step = first
                while true {
                    let text = step.actions.map(DeleteActionsView.csvRow).joined()
                    try await writer.write(ByteBuffer(string: text))
                    guard let next = step.next else { break }
                    step = try await daemon.reading.deleteActions(
                        limit: StatusPageLimits.csvRowsPerStep, before: next)
                }
                try await writer.finish(nil)
            })
    }

    func messages(_ request: Request, _ context: PageContext) async throws -> Response {
        let fields = try Self.fields(request)
        let wanted = (fields["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        if let id = MessageID(wanted) {
            return Response(status: .seeOther, headers: [.location: context.root + "/messages/\(id)"])
        }
        let query = try ListQuery(path: context.root + "/messages", fields)
        guard !wanted.isEmpty else {
            let frame = try await frame("Messages", .messages, request, context, isLive: false)
            return renderer.page(.messages, ["query": ""], in: frame)
        }
        guard let channel = ChannelID(wanted) else {
            let frame = try await frame("Messages", .messages, request, context, isLive: false)
            let problem =
                wanted.hasPrefix("…")
                ? "This is a shortened id. Select it in a list to open the message, which shows the whole id."
                : "Neither a message id nor a channel name: the name \(Name.problem(with: wanted) ?? "is wrong")."
            return renderer.page(
                .messages, ["query": wanted, "problem": problem], in: frame, status: .badRequest)
        }
        let range = PageRange(limit: query.limit, after: query.after)
        let list = try await daemon.reading.messages(ChannelQuery(channel: channel, range: range, refresh: .never))
        let frame = try await frame("Messages of \(channel)", .messages, request, context)
        var values = rows(list, frame.now, query)
        values["query"] = wanted
        values["hasChannel"] = true
        values["channelName"] = channel.value
        let limit = String(query.limit)
        values["first"] = query.after.map { _ in PageLink.to(context.root + "/messages", ["q": wanted, "limit": limit])
        }
        values["next"] = list.next.map {
            PageLink.to(context.root + "/messages", ["q": wanted, "limit": limit, "after": $0.description])
        }
        return renderer.page(.messages, values, in: frame)
    }

    func message(_ request: Request, _ context: PageContext) async throws -> Response {
        let id = try Self.messageID(context)
        let message: MessageDTO
        do throws(ControlError) {
            message = try await daemon.reading.message(id)
        } catch {
            guard error.code == .notFound else { throw error }
            throw try await absence(of: id)
        }
        let title = "\(MessageView.heading(of: message)) \(MessageRowView.short(message.id))"
        let frame = try await frame(title, .messages, request, context)
        let view = MessageView(message: message, now: frame.now, showsBodies: showsBodies).view
        return renderer.page(.message, view, in: frame)
    }

    /// Returns why a message is missing, if its deletion is among the last ones.
    private func absence(of id: MessageID) async throws(ControlError) -> PageError {
        let list = try await daemon.reading.deleteActions(limit: StatusPageLimits.deletionsSearchedMax, before: nil)
        guard let action = list.actions.first(where: { $0.message == id }) else {
            return PageError(
                .notFound, title: "Not found", text: "There is no message \(id) on this machine.",
                advice: "Deleted messages are listed under Delete actions.")
        }
        let moment = RelativeTime(action.atMs, now: SystemClock.now())
        let noun = MessageRowView.noun(ofRole: action.role)
        return PageError(
            .notFound, title: "Deleted",
            text: "The \(noun) \(id) was deleted on \(moment.full) by \(DeleteActionsView.origin(action.by)).",
            advice: "See number \(action.sequence) under Delete actions.")
    }

    // MARK: - Parts

    private func rows(_ list: MessageListResponse, _ now: Timestamp, _ query: ListQuery) -> [String: Any] {
        var values = query.view(shown: list.messages.count, next: list.next)
        values["hasRows"] = !list.messages.isEmpty
        values["rows"] = list.messages.map { MessageRowView(message: $0, now: now, showsBodies: showsBodies).view }
        return values
    }

    func frame(
        _ title: String, _ current: PageRoute?, _ request: Request, _ context: PageContext, isLive: Bool = true
    ) async throws -> PageLayout {
        let counts = try await daemon.reading.status().counts
        return try frame(title, current, request, context, counts, isLive: isLive)
    }

    private func frame(
        _ title: String, _ current: PageRoute?, _ request: Request, _ context: PageContext,
        _ counts: StatusResponse.Counts, isLive: Bool = true
    ) throws -> PageLayout {
        let fields = try Self.fields(request)
        return PageLayout(
            title: title, root: context.root, current: current, session: try context.requireSession(), counts: counts,
            notice: notices.take(fields["notice"]), isLive: isLive)
    }
}
