import CausewayControlAPI
import CausewayHTTPServer
import CausewayModels

/// The layout around a page's content: title, menu, the result of the last action.
struct PageLayout {
    var title: String
    /// The prefix of every path of the session.
    var root = ""
    /// The menu entry of the page; `nil` for pages outside the menu.
    var current: PageRoute?
    var session: PageSession?
    /// Whether the menu is shown.
    var hasMenu = true
    /// Counts for the menu, if known.
    var counts: StatusResponse.Counts?
    var notice: FlashMessage?
    /// True when the page has parts that update themselves.
    var isLive = false
    /// True for a problem that may be temporary: without a script the browser reloads the page.
    var isPassing = false
    var now = SystemClock.now()

    private static let menu: [(PageRoute, String, String)] = [
        (.overview, "/", "Overview"), (.outbox, "/outbox", "Outbox"), (.failed, "/failed", "Failed"),
        (.deleteActions, "/delete-actions", "Delete actions"), (.messages, "/messages", "Messages"),
    ]

    var view: [String: Any] {
        let moment = RelativeTime(now.milliseconds, now: now)
        var view: [String: Any] = [
            "title": title, "isLive": isLive, "isPassing": isPassing, "now": moment.moment.description,
            "nowText": moment.full, "root": root,
        ]
        if let notice { view["notice"] = ["kind": notice.kind.rawValue, "text": notice.text] }
        if let session {
            view["csrf"] = session.csrfToken
            view["logout"] = session.isLogin
            view["mayChange"] = session.mayChange
        }
        guard hasMenu else { return view }
        view["nav"] = ["pages": Self.menu.map(entry)]
        return view
    }

    private func entry(_ route: PageRoute, _ href: String, _ label: String) -> [String: Any] {
        var entry: [String: Any] = [
            "key": route == .overview ? "overview" : String(href.dropFirst()), "href": root + href, "label": label,
            "isCurrent": route == current,
        ]
        let count = route == .outbox ? counts?.undelivered : route == .failed ? counts?.error : nil
        if let count, count > 0 {
            entry["count"] = PageNumber.text(count)
            entry["isBad"] = route == .failed
        }
        return entry
    }
}
