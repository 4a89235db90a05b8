import CausewayControlAPI
import CausewayModels

/// The status of the outbox and the daemon.
struct OverviewView {
    let activity: ActivityResponse
    let now: Timestamp
    let root: String

    private var status: StatusResponse { activity.status }

    var view: [String: Any] {
        var view: [String: Any] = [
            "alerts": alerts, "tiles": tiles, "delivered": PageNumber.text(status.delivered), "link": link,
            "transport": transport, "waitingText": waitingText, "hour": DeliveryChart(activity.drainedPerMinute).view,
            "hasLanes": !status.lanes.isEmpty, "noLanes": noLanes,
            "lanes": lanes.prefix(StatusPageLimits.lanesShownMax).map(lane),
            "pid": String(status.process.pid), "daemonVersion": status.process.version, "store": status.process.store,
            "epoch": String(status.epoch), "bytes": PageNumber.bytes(Int64(status.counts.undeliveredBytes)),
        ]
        if let session = status.session {
            view["session"] = [
                "user": session.user.value, "server": session.server,
                "since": RelativeTime(session.startedAtMs, now: now).view,
            ]
        }
        if let events { view["events"] = events }
        if let server = status.server { view["serverSays"] = PageNumber.preview(server) }
        let more = status.lanes.count - StatusPageLimits.lanesShownMax
        if more > 0 { view["moreLanes"] = PageNumber.text(more) }
        return view
    }

    private var alerts: [[String: Any]] {
        var alerts: [[String: Any]] = []
        if let actionRequired = status.attention {
            alerts.append(["kind": "bad", "title": "Action required.", "text": actionRequired.detail])
        }
        if let problem = status.storeProblem {
            alerts.append(["kind": "bad", "title": "The store rejects writes.", "text": problem])
        }
        for notice in status.notices ?? [] {
            alerts.append(["kind": "busy", "title": "Notice about the outbox.", "text": notice.detail])
        }
        if status.paused {
            alerts.append([
                "kind": "busy", "title": "The outbox is paused.",
                "text": "Messages are accepted but not sent. Run `causeway resume` to continue.",
            ])
        }
        if status.session == nil {
            alerts.append([
                "kind": "busy", "title": "Not logged in.", "text": "Run `causeway login` to start a session.",
            ])
        }
        return alerts
    }

    private var tiles: [[String: Any]] {
        let counts = status.counts
        let states: [(String, Int, String)] = [
            ("waiting (created)", counts.created - (counts.blocked ?? 0), "created"),
            ("uploading", counts.uploading, "uploading"),
            ("in flight (syncing)", counts.syncing, "syncing"),
        ]
        let tiles: [[String: Any]] = states.map { label, count, state in
            [
                "label": label, "value": PageNumber.text(count),
                "href": PageLink.to(root + "/outbox", ["state": state]),
            ]
        }
        return tiles + blockedTile + [
            [
                "label": "failed (error)", "value": PageNumber.text(counts.failed.messages), "href": root + "/failed",
                "isBad": counts.failed.messages > 0,
            ]
        ] + failedChangesTile
    }

    /// Shown only when messages are blocked; links to the failed messages that block them.
    private var blockedTile: [[String: Any]] {
        guard let blocked = status.counts.blocked, blocked > 0 else { return [] }
        let value = PageNumber.text(blocked)
        return [["label": "blocked by failed ones", "value": value, "href": root + "/failed", "isBad": true]]
    }

    /// Shown only when there are any.
    private var failedChangesTile: [[String: Any]] {
        let changes = status.counts.failed.changes
        guard changes > 0 else { return [] }
        let label = changes == 1 ? "failed edit or reaction" : "failed edits and reactions"
        return [["label": label, "value": PageNumber.text(changes), "href": root + "/failed", "isBad": true]]
    }

    private var link: [String: Any] {
        let connectivity = status.connectivity
        let since = connectivity.sinceMs.map { " for " + RelativeTime($0, now: now).words } ?? ""
        let until = connectivity.untilMs.map { $0 <= now.milliseconds ? "now" : RelativeTime($0, now: now).words }
        switch connectivity.state {
        case "online": return ["kind": "good", "word": "online", "text": "The server is reachable."]
        case "offline":
            let detail = connectivity.detail.map { ": " + PageNumber.preview($0) } ?? ""
            let next = until.map { "; next check \($0)" } ?? ""
            return ["kind": "bad", "word": "offline", "text": "Not reachable\(since)\(detail)\(next)."]
        case "settling":
            return ["kind": "busy", "word": "settling", "text": "Reachable again; sending begins \(until ?? "soon")."]
        default: return ["kind": "", "word": "unknown", "text": "Not tried yet."]
        }
    }

    /// Whether changes on the server arrive by themselves; `nil` if the server has no events.
    private var events: [String: Any]? {
        guard let events = status.events else { return nil }
        switch events.state {
        case "upToDate": return ["kind": "good", "word": "up to date", "text": "Changes arrive by themselves."]
        case "catchingUp": return ["kind": "busy", "word": "catching up", "text": "Missed changes are being read."]
        case "waiting": return ["kind": "", "word": "waiting", "text": "Waiting for the server."]
        case "interrupted":
            let detail = events.detail.map { ": " + PageNumber.preview($0) } ?? ""
            let next = events.retryAtMs.map { "; next attempt " + RelativeTime($0, now: now).words } ?? ""
            return ["kind": "bad", "word": "interrupted", "text": "Changes are not read\(detail)\(next)."]
        default: return nil
        }
    }

    private var transport: String {
        guard let server = status.session?.server else { return "none" }
        switch server.prefix(while: { $0 != ":" }) {
        case "https": return "HTTPS (requests over TLS)"
        case "http": return "HTTP (plain, on loopback)"
        case "wss": return "WebSocket over TLS"
        case "auto": return "WebSocket over TLS, or HTTPS while there is none"
        case "ws": return "WebSocket (plain, on loopback)"
        case let scheme: return String(scheme.prefix(32))
        }
    }

    private var waitingText: String {
        let waiting = status.counts.waiting
        guard waiting > 0 else { return "No messages are waiting." }
        let reason = WaitReasonText.text(status.wait, status.waitText).map { ": " + $0 } ?? ""
        return PageNumber.messages(waiting) + " waiting" + PageNumber.preview(reason) + "."
    }

    /// The lanes by the age of their heads, oldest first; lanes whose head's age is unknown come last.
    private var lanes: [StatusResponse.Lane] {
        status.lanes.sorted { ($0.headCreatedAtMs ?? .max, $0.lane) < ($1.headCreatedAtMs ?? .max, $1.lane) }
    }

    /// The text shown when there are no lanes: failed messages wait in no lane.
    private var noLanes: String {
        let counts = status.counts
        if counts.undelivered == 0 { return "Every lane is empty: all messages are on the server." }
        guard counts.error > 0 else { return "No messages are waiting in a lane." }
        let number =
            counts.failed.changes == 0 ? PageNumber.text(counts.error) : counts.failed.text(number: PageNumber.text)
        let failed = "No messages are waiting in a lane; \(number) failed."
        guard let blocked = counts.blocked, blocked > 0 else { return failed }
        let causes = counts.error == 1 ? "it" : "them"
        return failed + " \(PageNumber.messages(blocked)) blocked by \(causes): resend or delete what failed."
    }

    private func lane(_ lane: StatusResponse.Lane) -> [String: Any] {
        var view: [String: Any] = [
            "name": lane.lane, "depth": PageNumber.text(lane.depth),
            "why": PageNumber.preview(WaitReasonText.text(lane.wait, lane.waitText) ?? ""),
        ]
        if let head = lane.head {
            view["head"] = head.description
            view["headShort"] = MessageRowView.short(head)
        }
        if let milliseconds = lane.headCreatedAtMs { view["age"] = RelativeTime(milliseconds, now: now).view }
        return view
    }
}
