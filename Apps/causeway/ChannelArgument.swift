import ArgumentParser
import Causeway
import CausewayControl

/// A channel as an argument. A name that is none is bad input (status 65), not a wrong use of the command.
struct ChannelArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    func id() throws(ControlError) -> ChannelID { try ChannelID(named: text) }
}
