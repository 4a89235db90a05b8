import Causeway
import CausewayControl
import CausewayHTTPServer

/// What stands around a page's own part: title, menu, what was just done.
struct PageFrame {
    var title: String
    /// The prefix of every path of the session.
    var root = ""
    /// Which entry of the menu the page is; none for pages beside it.
    var current: PageRoute?
    var session: PageSession?
    /// Whether the menu is shown.
    var hasMenu = true
    /// Counts for the menu, when they are known.
    var counts: StatusForm.Counts?
    var notice: PageNotice?
    /// True when the page has parts that change by themselves.
    var isLive = false
    /// True for a problem that may be over soon: without a script the browser loads the page again.
    var isPassing = false
    var now = SystemClock.now()

    private static let menu: [(PageRoute, String, String)] = [
        (.overview, "/", "Overview"), (.outbox, "/outbox", "Outbox"), (.failed, "/failed", "Failed"),
        (.deleteActions, "/delete-actions", "Delete actions"), (.messages, "/messages", "Messages"),
    ]

    var view: [String: Any] {
        let moment = PageMoment(now.milliseconds, now: now)
        var view: [String: Any] = [
            "title": title, "isLive": isLive, "isPassing": isPassing, "now": moment.moment.description,
            "nowText": moment.full, "root": root,
        ]
        if let notice { view["notice"] = ["kind": notice.kind.rawValue, "text": notice.text] }
        if let session {
            view["csrf"] = session.formSecret
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
