import ArgumentParser
import Causeway

extension ChannelID {
    /// Reads an argument, and says what is wrong with it.
    static func argument(_ text: String) throws -> ChannelID {
        guard let channel = ChannelID(text) else {
            throw ValidationError("The channel's name \(Name.problem(with: text) ?? "is wrong").")
        }
        return channel
    }
}
