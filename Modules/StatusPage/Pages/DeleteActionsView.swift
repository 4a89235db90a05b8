import CausewayControlAPI
import CausewayModels

/// Past deletions, newest first.
struct DeleteActionsView {
    let list: DeleteActionListResponse
    let root: String
    let limit: Int
    let before: Int64?
    let now: Timestamp

    var view: [String: Any] {
        var view: [String: Any] = [
            "hasRows": !list.actions.isEmpty, "rows": list.actions.map(row),
            "shown": list.actions.isEmpty ? "" : "\(list.actions.count) on this page",
        ]
        if before != nil { view["first"] = PageLink.to(root + "/delete-actions", ["limit": String(limit)]) }
        if let next = list.next {
            view["next"] = PageLink.to(root + "/delete-actions", ["limit": String(limit), "before": String(next)])
        }
        return view
    }

    private func row(_ action: DeleteActionDTO) -> [String: Any] {
        var row: [String: Any] = [
            "sequence": String(action.sequence), "when": RelativeTime(action.atMs, now: now).view,
            "by": Self.origin(action.by), "id": action.message.description,
            "idShort": MessageRowView.short(action.message), "type": action.type,
            "channelName": action.channel.value, "state": action.state,
            "stateKind": MessageRowView.kind(ofState: action.state),
            "error": PageNumber.preview(action.failure?.text ?? ""),
        ]
        if let change = action.changeName {
            row["relation"] = change
            if let related = action.related {
                row["related"] = related.description
                row["relatedShort"] = MessageRowView.short(related)
            }
        }
        return row
    }

    /// The origin of a deletion, as text.
    static func origin(_ word: String) -> String {
        switch DeleteAction.Origin(rawValue: word) {
        case .api: "API"
        case .cli: "CLI"
        case .statusPage: "status page"
        case nil: word
        }
    }

    static let csvTitles = [
        "sequence", "at", "by", "message", "channel", "type", "state", "reason", "code", "error", "failedAt",
        "role", "related",
    ]

    static func csvRow(_ action: DeleteActionDTO) -> String {
        CSVText.row([
            String(action.sequence), action.at, action.by, action.message.description, action.channel.value,
            action.type, action.state, action.failure?.reason ?? "", action.failure?.code ?? "",
            action.failure?.text ?? "", action.failure?.at ?? "", action.role ?? "",
            action.related?.description ?? "",
        ])
    }
}
