package import Causeway

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
