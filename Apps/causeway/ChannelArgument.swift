import ArgumentParser
import Causeway
import CausewayControlAPI

/// A channel as an argument. An invalid name is bad input (status 65), not a usage error.
struct ChannelArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    func id() throws(ControlError) -> ChannelID { try ChannelID(named: text) }
}
