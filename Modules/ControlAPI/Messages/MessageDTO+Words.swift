package import CausewayModels

/// Words about messages, edits and reactions, the same in every program.
extension MessageDTO {
    /// The kind of an edit or a reaction, to be followed by the id of its message; `nil` for a message.
    package var changeName: String? { Self.changeName(ofRole: role) }

    static func changeName(ofRole role: String?) -> String? {
        switch role {
        case nil, "reply": nil
        case "edit": "edit of message"
        case "addReaction": "reaction to message"
        case "removeReaction": "removal of a reaction from message"
        default: "change of message"
        }
    }

    /// True for an edit, a reaction, or another change of a message; false for a message.
    package var isChange: Bool { changeName != nil }

    /// The remedies of a user against the failure; `nil` unless it failed.
    package var remedy: String? {
        guard let failure else { return nil }
        let isFinal = failure.reason == Failure.Reason.unsendable.rawValue
        let resend =
            if isFinal { "" } else if failure.reason == Failure.Reason.refused.rawValue {
                "resend it if the server accepts it now, or "
            } else { "resend it, or " }
        return resend + "delete it"
            + (isChange ? ": its message then stays as it is on the server" : isFinal ? ": it cannot be sent" : "")
    }
}

extension DeleteActionDTO {
    /// See ``MessageDTO/changeName``.
    package var changeName: String? { MessageDTO.changeName(ofRole: role) }
}

extension OperationCount {
    /// `2 messages`, `1 failed message and 2 failed edits and reactions`; `0 messages` for none.
    ///
    /// - Parameters:
    ///   - adjective: follows the numbers, such as `failed`.
    ///   - number: formats a number.
    package func text(_ adjective: String = "", number: (Int) -> String = { String($0) }) -> String {
        let adjective = adjective.isEmpty ? "" : adjective + " "
        var parts: [String] = []
        if messages > 0 || changes == 0 {
            parts.append("\(number(messages)) \(adjective)\(messages == 1 ? "message" : "messages")")
        }
        if changes > 0 {
            parts.append("\(number(changes)) \(adjective)\(changes == 1 ? "edit or reaction" : "edits and reactions")")
        }
        return parts.joined(separator: " and ")
    }
}
