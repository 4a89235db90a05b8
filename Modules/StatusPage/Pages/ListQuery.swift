import CausewayControlAPI
import CausewayModels

/// The query of a list's address, and the form that edits it.
struct ListQuery {
    let path: String
    var channel: ChannelID?
    var state: SyncState?
    var newestFirst: Bool
    var limit: Int
    var after: PageCursor?

    /// - Parameter isUsual: whether the newest come first when the address names no order.
    ///
    /// Throws 400 for an invalid query.
    init(path: String, _ fields: FormFields, newestFirst isUsual: Bool = false) throws(PageError) {
        self.path = path
        channel = try fields["channel"].map { text throws(PageError) in
            guard let channel = ChannelID(text) else {
                throw .badRequest("Invalid channel: the name \(Name.problem(with: text) ?? "is wrong").")
            }
            return channel
        }
        state = try fields["state"].map { text throws(PageError) in
            guard let state = SyncState(rawValue: text), state != .synced else {
                throw .badRequest("Invalid state; use created, uploading, syncing or error.")
            }
            return state
        }
        switch fields["order"] {
        case nil: newestFirst = isUsual
        case "oldest": newestFirst = false
        case "newest": newestFirst = true
        default: throw .badRequest("Invalid order; use oldest or newest.")
        }
        limit = try Self.limit(fields)
        after = try fields["after"].map { text throws(PageError) in
            guard let mark = PageCursor(text) else { throw .badRequest("Invalid cursor; go back to the first page.") }
            return mark
        }
    }

    static func limit(_ fields: FormFields) throws(PageError) -> Int {
        guard let text = fields["limit"] else { return StatusPageLimits.rowsDefault }
        guard let limit = Int(text), let most = StatusPageLimits.rowsChoices.last, (1...most).contains(limit) else {
            throw .badRequest("Invalid number of rows; use 1 to \(StatusPageLimits.rowsChoices.last ?? 0).")
        }
        return limit
    }

    var outbox: OutboxQuery {
        OutboxQuery(
            channel: channel, state: state, newestFirst: newestFirst, range: PageRange(limit: limit, after: after))
    }

    /// Returns the address of another page of the same list.
    func link(after mark: PageCursor?) -> String {
        PageLink.to(
            path,
            [
                "channel": channel?.value, "state": state?.rawValue, "order": newestFirst ? "newest" : "oldest",
                "limit": String(limit), "after": mark?.description,
            ])
    }

    /// Returns the form, and the links to other pages.
    func view(shown: Int, next: PageCursor?) -> [String: Any] {
        var view: [String: Any] = [
            "action": path, "channel": channel?.value ?? "",
            "orders": [
                ["value": "oldest", "label": "Oldest first", "isChosen": !newestFirst],
                ["value": "newest", "label": "Newest first", "isChosen": newestFirst],
            ] as [[String: Any]],
            "limits": StatusPageLimits.rowsChoices.map { ["value": $0, "isChosen": $0 == limit] as [String: Any] },
            "shown": shown == 0 ? "" : "\(PageNumber.text(shown)) on this page",
        ]
        if after != nil { view["first"] = link(after: nil) }
        if let next { view["next"] = link(after: next) }
        return view
    }

    var isFiltered: Bool { channel != nil || state != nil || after != nil }
}
