import ArgumentParser
import Causeway
import CausewayControlAPI

/// A message as an argument. An invalid id is bad input (status 65) as well.
struct MessageArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    func id() throws(ControlError) -> MessageID { try MessageID(written: text) }
}

extension [MessageArgument] {
    func ids() throws(ControlError) -> [MessageID] {
        var ids: [MessageID] = []
        for argument in self { ids.append(try argument.id()) }
        return ids
    }
}

/// A channel as an argument. An invalid name is bad input (status 65), not a usage error.
struct ChannelArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    func id() throws(ControlError) -> ChannelID { try ChannelID(named: text) }
}
