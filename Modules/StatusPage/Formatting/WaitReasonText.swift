import CausewayControlAPI
import CausewayModels

/// The text of a wait reason without its times, which are shown beside it.
enum WaitReasonText {
    static func text(_ wait: WaitReasonDTO?, _ whole: String?) -> String? {
        guard let wait else { return whole }
        switch wait.kind {
        case "offline": return "offline" + (wait.detail.map { ": " + $0 } ?? "")
        case "settling": return "settling: the server is reachable again, for a moment"
        case "backingOff": return "backing off: " + attempts(wait.attempts ?? 0) + " failed"
        case "rateLimited": return "rate limited: the server asked to wait"
        case "startingOver":
            return "starting over: the server reports another copy of this store, or other data of its own, again"
        case "behind": return "behind message " + (wait.message.map(MessageRowView.short) ?? "")
        case "inFlight": return "in flight: sent, no response yet"
        case "uploading":
            guard let sent = wait.sent, let total = wait.total else { return "uploading its attachment" }
            return "uploading its attachment: \(PageNumber.bytes(sent)) of \(PageNumber.bytes(total))"
        default: return whole
        }
    }

    private static func attempts(_ count: Int) -> String { count == 1 ? "1 attempt" : "\(count) attempts" }
}
