/// An action that changes messages, with the texts of its question and its result.
enum MessageAction: String, CaseIterable {
    case resend, delete
    case resendAll = "resend-all"
    case deleteAll = "delete-all"

    var isForAll: Bool { self == .resendAll || self == .deleteAll }
    var isDanger: Bool { self == .delete || self == .deleteAll }

    /// - Parameter channel: the channel whose failed messages are meant, for an action on all of one channel.
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
            "They return to the end of their lanes with their ids unchanged, so none can arrive twice."
        case .delete, .deleteAll:
            "This cannot be undone. Messages that were already sent are deleted from the server as well. The"
                + " deletion is recorded under Delete actions."
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

    /// Returns the result, shown on the following page.
    ///
    /// - Parameter asked: the number of named messages; `nil` for an action on all of a kind.
    func notice(count: Int, asked: Int?) -> FlashMessage {
        let done = isDanger ? "deleted" : "put back into the queue"
        let verb = count == 1 ? "was" : "were"
        var text = count == 0 ? "Nothing was \(done)." : "\(PageNumber.messages(count)) \(verb) \(done)."
        let others = (asked ?? count) - count
        if others > 0 {
            text +=
                isDanger
                ? " \(PageNumber.messages(others)) no longer \(others == 1 ? "exists" : "exist")."
                : " \(PageNumber.messages(others)) \(others == 1 ? "was" : "were") no longer failed."
        }
        return FlashMessage(kind: count == 0 || others > 0 ? .busy : .good, text: text)
    }
}
