import Causeway
import CausewayControl

/// One message: what it is, its story, what it says.
struct MessageView {
    let message: MessageForm
    let now: Timestamp
    let showsBodies: Bool

    var view: [String: Any] {
        var view = MessageRowView.parts(of: message)
        view["attempts"] = message.attempts
        view["channelLink"] = PageLink.escaped(message.channel.value)
        if let position = message.position { view["position"] = PageNumber.text(position) }
        if let why = WaitWords.text(message.wait, message.waitText) { view["why"] = why }
        if let untilMs = message.wait?.untilMs { view["nextTry"] = PageMoment.next(untilMs, now: now) }
        if let failure = message.failure { view["error"] = failure.text }
        let isFailed = message.state == SyncState.error.rawValue
        view["hasDeeds"] = message.state != SyncState.synced.rawValue
        view["canResend"] = isFailed
        view["story"] = story
        view["isShown"] = showsBodies
        if showsBodies { view["body"] = MessageRowView.said(message) ?? "" }
        return view
    }

    private var story: [[String: Any]] {
        var steps = [step(message.createdAtMs, "Created", "", "It was on the disk before anybody was told.")]
        if let at = message.lastAttemptAtMs {
            steps.append(step(at, message.attempts > 1 ? "Attempt \(message.attempts) began" : "Sent", "busy", nil))
        }
        if let failure = message.failure { steps.append(step(failure.atMs, "Failed", "bad", failure.text)) }
        if let at = message.acceptedAtMs {
            steps.append(step(at, "Accepted by the server", "good", "By the server's clock."))
        }
        return steps
    }

    private func step(_ milliseconds: Int64, _ title: String, _ kind: String, _ text: String?) -> [String: Any] {
        let moment = PageMoment(milliseconds, now: now)
        var step: [String: Any] = [
            "title": title, "kind": kind, "machine": moment.moment.description, "full": moment.full,
        ]
        if let text { step["text"] = text }
        return step
    }
}
