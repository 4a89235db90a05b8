package import Causeway

extension ChannelID {
    /// Reads a name that somebody wrote.
    ///
    /// Throws ``ControlError/Code/badRequest`` with what is wrong with it.
    package init(named text: String) throws(ControlError) {
        guard let channel = ChannelID(text) else {
            throw ControlError(.badRequest, "the channel's name \(Name.problem(with: text) ?? "is wrong")")
        }
        self = channel
    }
}
