import CausewayControlAPI
import CausewayModels

/// A message as the row of a list.
struct MessageRowView {
    let message: MessageDTO
    let now: Timestamp
    let showsBodies: Bool

    var view: [String: Any] {
        var view = Self.parts(of: message)
        view["age"] = RelativeTime(message.createdAtMs, now: now).view
        view["attempts"] = message.attempts
        if let untilMs = message.wait?.untilMs { view["nextTry"] = RelativeTime.next(untilMs, now: now) }
        view["why"] = PageNumber.preview(
            WaitReasonText.text(message.wait, message.waitText) ?? message.failure?.text ?? "")
        view["note"] = view["why"]
        if let position = message.position { view["position"] = position }
        if let upload { view["upload"] = upload }
        addFailure(to: &view)
        if showsBodies, let said = Self.said(message) { view["said"] = PageNumber.preview(said) }
        return view
    }

    /// The fields that every view of a message shares.
    static func parts(of message: MessageDTO) -> [String: Any] {
        var view: [String: Any] = [
            "id": message.id.description, "idShort": short(message.id), "type": message.type,
            "noun": noun(ofRole: message.role), "isChange": message.isChange,
            "channelName": message.channel.value, "sender": message.sender.value,
            "state": message.state, "stateKind": kind(ofState: message.state), "inDoubt": message.inDoubt,
            "ios": message.states.ios, "android": message.states.android, "typescript": message.states.typescript,
            "classic": message.states.classic, "lane": message.lane ?? "none",
        ]
        // A parked message has no position in its lane yet.
        if let place = message.place, place > 0 { view["place"] = PageNumber.text(place) }
        if let remedy = message.remedy { view["remedy"] = remedy }
        if let related = message.related {
            view["relation"] = message.changeName ?? "\(message.type), reply to message"
            view["related"] = related.description
            view["relatedShort"] = short(related)
        }
        if let attachment = message.attachment {
            view["file"] = PageNumber.preview(attachment.name)
            view["fileSize"] = PageNumber.bytes(attachment.size)
        }
        return view
    }

    /// The word for the row: `message`, `edit`, `reaction`.
    static func noun(ofRole role: String?) -> String {
        switch role {
        case nil, "reply": "message"
        case "edit": "edit"
        case "addReaction": "reaction"
        case "removeReaction": "removal of a reaction"
        default: "change"
        }
    }

    /// An abbreviated id that still tells messages apart: its last 12 digits are random.
    static func short(_ id: MessageID) -> String { "…" + id.description.suffix(12) }

    /// The colour class of a state.
    static func kind(ofState state: String) -> String {
        switch SyncState(rawValue: state) {
        case .synced: "good"
        case .syncing, .uploading: "busy"
        case .error: "bad"
        case .created, nil: ""
        }
    }

    /// The content of the message as one text; `nil` for media without a caption.
    static func said(_ message: MessageDTO) -> String? {
        if let data = message.custom ?? message.unknown {
            return (try? ControlJSON.encode(data)).map { String(decoding: $0, as: UTF8.self) }
        }
        return message.text
    }

    private var upload: [String: Any]? {
        guard let sent = message.wait?.sent, let total = message.wait?.total else { return nil }
        return [
            "sent": sent, "total": max(1, total),
            "words": "\(PageNumber.bytes(sent)) of \(PageNumber.bytes(total))",
        ]
    }

    private func addFailure(to view: inout [String: Any]) {
        guard let failure = message.failure else { return }
        view["error"] = PageNumber.preview(failure.text)
        view["reason"] = failure.reason
        if !failure.code.isEmpty { view["code"] = PageNumber.preview(failure.code) }
        view["failedAt"] = RelativeTime(failure.atMs, now: now).view
        if let lastMs = message.lastAttemptAtMs { view["lastAttempt"] = RelativeTime(lastMs, now: now).view }
    }
}
