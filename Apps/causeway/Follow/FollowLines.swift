import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewaySystem

/// The output of each change when standard output is not a terminal: a line of text or a JSON object.
struct FollowLines {
    /// One line of JSON.
    private struct Report: Encodable {
        /// `inserted`, `modified` or `deleted`.
        let change: String
        /// The message now; for a deletion, before it.
        let message: MessageDTO
    }

    let isJSON: Bool
    private var followed = FollowedMessages()
    private var problem: String?

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Returns the lines of an event, each with its end, and a problem that has not been reported yet.
    mutating func lines(for event: FollowEvent) throws(ControlError) -> (text: String, problem: String?) {
        var text = ""
        for change in try followed.apply(event) { text += try line(change) + "\n" }
        defer { problem = event.problem }
        return (text, event.problem == problem ? nil : event.problem.map { "the list was not refreshed: \($0)" })
    }

    private func line(_ change: FollowedMessages.Change) throws(ControlError) -> String {
        let (name, message) =
            switch change {
            case .inserted(let message): ("inserted", message)
            case .modified(let message, _): ("modified", message)
            case .deleted(let message): ("deleted", message)
            }
        if isJSON {
            return String(decoding: try ControlJSON.encode(Report(change: name, message: message)), as: UTF8.self)
        }
        let state = name == "deleted" ? name : message.state + (message.inDoubt ? "?" : "")
        let fields = [
            message.position.map(String.init) ?? "-", MessageListing.moment(message.createdAt), message.sender.value,
            state, MessageListing.said(message) + MessageListing.why(message),
        ]
        return fields.map(VisibleText.oneLine).joined(separator: "  ")
    }
}
