import CausewayControl

/// What can be asked for, in the words of its question and its answer.
enum Deed: String, CaseIterable {
    case resend, delete
    case resendAll = "resend-all"
    case deleteAll = "delete-all"

    var isForAll: Bool { self == .resendAll || self == .deleteAll }
    var isDanger: Bool { self == .delete || self == .deleteAll }

    /// - Parameter channel: whose failed messages are meant, where all of one channel are.
    func question(count: Int, channel: String?) -> String {
        let place = channel.map { " of \($0)" } ?? ""
        switch self {
        case .resend: return "Resend \(PageNumber.messages(count))?"
        case .delete: return "Delete \(PageNumber.messages(count))?"
        case .resendAll: return "Resend all failed messages\(place)?"
        case .deleteAll: return "Delete all failed messages\(place)?"
        }
    }

    var consequence: String {
        switch self {
        case .resend, .resendAll:
            "They go back to the end of their lanes under their old ids, so none can arrive twice."
        case .delete, .deleteAll:
            "This cannot be undone. What was already on its way is deleted from the server as well. The deletion is"
                + " recorded under Delete actions."
        }
    }

    var yes: String {
        switch self {
        case .resend: "Resend"
        case .delete: "Delete"
        case .resendAll: "Resend all"
        case .deleteAll: "Delete all"
        }
    }

    /// What was done, for the page that follows.
    ///
    /// - Parameter asked: how many messages were named; nil where all of a kind were meant.
    func notice(count: Int, asked: Int?) -> PageNotice {
        let done = isDanger ? "deleted" : "put back into the queue"
        let verb = count == 1 ? "was" : "were"
        var text = count == 0 ? "Nothing was \(done)." : "\(PageNumber.messages(count)) \(verb) \(done)."
        let others = (asked ?? count) - count
        if others > 0 {
            text +=
                isDanger
                ? " \(PageNumber.messages(others)) \(others == 1 ? "was" : "were") no longer here."
                : " \(PageNumber.messages(others)) had not failed any more."
        }
        return PageNotice(kind: count == 0 || others > 0 ? .busy : .good, text: text)
    }
}
