package import CausewayModels

extension MessageID {
    /// Parses a message id given by a user.
    ///
    /// Throws ``ControlError/Code/badRequest`` when the id is invalid.
    package init(written text: String) throws(ControlError) {
        guard let id = MessageID(text) else {
            throw ControlError(
                .badRequest, "invalid message id `\(text.prefix(64))`; use 36 characters like 0190a6b2-1c3d-7e4f-…")
        }
        self = id
    }
}

extension ChannelID {
    /// Parses a channel name given by a user.
    ///
    /// Throws ``ControlError/Code/badRequest`` with the reason when the name is invalid.
    package init(named text: String) throws(ControlError) {
        guard let channel = ChannelID(text) else {
            throw ControlError(.badRequest, "the channel's name \(Name.problem(with: text) ?? "is wrong")")
        }
        self = channel
    }
}
