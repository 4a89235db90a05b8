import CausewayControlAPI
import CausewayModels

/// One message: its properties, its timeline, its content.
struct MessageView {
    let message: MessageDTO
    let now: Timestamp
    let showsBodies: Bool

    var view: [String: Any] {
        var view = MessageRowView.parts(of: message)
        view["heading"] = Self.heading(of: message)
        view["attempts"] = message.attempts
        view["channelLink"] = PageLink.escaped(message.channel.value)
        if let position = message.position { view["position"] = PageNumber.text(position) }
        if let why = WaitReasonText.text(message.wait, message.waitText) { view["why"] = why }
        if let untilMs = message.wait?.untilMs { view["nextTry"] = RelativeTime.next(untilMs, now: now) }
        if let failure = message.failure { view["error"] = failure.text }
        let isFailed = message.state == SyncState.error.rawValue
        view["hasDeeds"] = message.state != SyncState.synced.rawValue
        view["canResend"] = isFailed
        view["timeline"] = timeline
        view["isShown"] = showsBodies
        if showsBodies { view["body"] = MessageRowView.said(message) ?? "" }
        return view
    }

    /// `Message`, or `Edit`, `Reaction` for a change of one.
    static func heading(of message: MessageDTO) -> String {
        switch message.role {
        case nil, "reply": "Message"
        case "edit": "Edit"
        case "addReaction": "Reaction"
        case "removeReaction": "Removal of a reaction"
        default: "Change"
        }
    }

    private var timeline: [[String: Any]] {
        var steps = [step(message.createdAtMs, "Created", "", "Stored durably.")]
        var former = SyncState.created
        for change in message.history ?? [] {
            guard let state = SyncState(rawValue: change.state) else { continue }
            steps.append(
                step(change.atMs, Self.title(of: state, after: former), MessageRowView.kind(ofState: change.state), nil)
            )
            former = state
        }
        if let failure = message.failure { steps.append(step(failure.atMs, "Last error", "bad", failure.text)) }
        if let at = message.acceptedAtMs {
            let place = message.position.map { " as number \(PageNumber.text($0)) of its channel" } ?? ""
            steps.append(step(at, "Accepted by the server\(place)", "good", "By the server's clock."))
        }
        return steps
    }

    private static func title(of state: SyncState, after former: SyncState) -> String {
        switch (state, former) {
        case (.created, .error): "Put back into the queue"
        case (.created, _): "Back in the queue: the attempt failed and will be repeated"
        case (.uploading, _): "Uploading the attachment"
        case (.syncing, _): "Sent to the server"
        case (.synced, _): "On the server"
        case (.error, _): "Failed permanently"
        }
    }

    private func step(_ milliseconds: Int64, _ title: String, _ kind: String, _ text: String?) -> [String: Any] {
        let moment = RelativeTime(milliseconds, now: now)
        var step: [String: Any] = [
            "title": title, "kind": kind, "machine": moment.moment.description, "full": moment.full,
        ]
        if let text { step["text"] = text }
        return step
    }
}
