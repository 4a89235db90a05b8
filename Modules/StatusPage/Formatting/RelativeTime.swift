import CausewayModels

/// A time as a page shows it: relative, with the absolute time in a `time` element.
struct RelativeTime {
    let moment: Timestamp
    let now: Timestamp

    init(_ milliseconds: Int64, now: Timestamp) {
        moment = Timestamp(milliseconds: milliseconds)
        self.now = now
    }

    /// The view of a time in the future: `now` when it has already passed.
    static func next(_ milliseconds: Int64, now: Timestamp) -> [String: Any] {
        let moment = RelativeTime(milliseconds, now: now)
        var view = moment.view
        if moment.moment.milliseconds - now.milliseconds < 1000 { view["words"] = "now" }
        return view
    }

    var view: [String: Any] { ["machine": moment.description, "full": full, "words": words] }

    /// `2026-11-21 08:20:12 UTC`.
    var full: String {
        let text = moment.description
        return text.prefix(19).replacing("T", with: " ") + " UTC"
    }

    /// `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`; a time in the future begins with `in`.
    var words: String {
        let milliseconds = now.milliseconds - moment.milliseconds
        let text = Self.words(seconds: abs(milliseconds) / 1000)
        return milliseconds <= -1000 ? "in " + text : text
    }

    static func words(seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<600: pair(seconds / 60, "min", seconds % 60, "s")
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: pair(seconds / 3600, "h", seconds % 3600 / 60, "min")
        default: pair(seconds / 86_400, "d", seconds % 86_400 / 3600, "h")
        }
    }

    private static func pair(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
    }
}
