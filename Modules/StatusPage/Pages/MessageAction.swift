import CausewayControlAPI
import CausewayModels

/// An action that changes messages, edits and reactions, with the texts of its question and its result.
enum MessageAction: String, CaseIterable {
    case resend, delete
    case resendAll = "resend-all"
    case deleteAll = "delete-all"

    var isForAll: Bool { self == .resendAll || self == .deleteAll }
    var isDanger: Bool { self == .delete || self == .deleteAll }

    /// - Parameters:
    ///   - number: the selected messages, edits and reactions, with their number.
    ///   - channel: the channel whose failed messages are meant, for an action on all of one channel.
    func question(_ number: String, channel: String?) -> String {
        let place = channel.map { " of \($0)" } ?? ""
        switch self {
        case .resend: return "Resend \(number)?"
        case .delete: return "Delete \(number)?"
        case .resendAll: return "Resend all failed messages, edits and reactions\(place)?"
        case .deleteAll: return "Delete all failed messages, edits and reactions\(place)?"
        }
    }

    var consequence: String {
        switch self {
        case .resend, .resendAll:
            "They return to the end of their lanes with their ids unchanged, so none can arrive twice."
        case .delete, .deleteAll:
            "This cannot be undone. Messages that were already sent are deleted from the server as well. Without an"
                + " edit or a reaction its message stays as it is on the server. The deletion is recorded under Delete"
                + " actions."
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
    func notice(_ count: OperationCount, asked: Int?) -> FlashMessage {
        let done = isDanger ? "deleted" : "put back into the queue"
        let total = count.total
        let verb = total == 1 ? "was" : "were"
        var text = total == 0 ? "Nothing was \(done)." : "\(count.text(number: PageNumber.text)) \(verb) \(done)."
        let others = (asked ?? total) - total
        if others > 0 {
            text +=
                isDanger
                ? " \(PageNumber.text(others)) of the selected no longer \(others == 1 ? "exists" : "exist")."
                : " \(PageNumber.text(others)) of the selected \(others == 1 ? "was" : "were") no longer failed."
        }
        return FlashMessage(kind: total == 0 || others > 0 ? .busy : .good, text: text)
    }
}
