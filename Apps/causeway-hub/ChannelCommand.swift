import ArgumentParser
import CausewayHub
import CausewayHubStorage
import CausewayModels

struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Add, list or remove channels, also while the hub runs.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a channel; an existing one is left unchanged.")
        @OptionGroup var data: DataOption
        @Argument(help: "Letters, digits and . _ - @ :") var name: String

        func run() async throws {
            try await failing {
                guard let id = ChannelID(name) else {
                    throw HubError.badName(
                        kind: "channel", name: name, problem: Name.problem(with: name) ?? "is wrong")
                }
                let (_, isNew) = try await data.administration().addChannel(id)
                if isNew { AuditLog(data.folder).record("channel created", name) }
                try say(isNew ? "Added \(name)" : "\(name) exists already")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a channel that has never had a message.")
        @OptionGroup var data: DataOption
        @Argument var name: String

        func run() async throws {
            try await failing {
                guard let id = ChannelID(name) else {
                    throw HubError.storage(.unknownChannel(name: String(name.prefix(64))))
                }
                try await data.administration().removeChannel(id)
                AuditLog(data.folder).record("channel removed", name)
                try say("Removed \(name)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the channels with their newest position.")
        @OptionGroup var data: DataOption
        @Flag(name: .long, help: "Print one JSON array.") var json = false

        func run() async throws {
            try await failing {
                let channels = try await data.administration().channels()
                guard !json else {
                    try say(JSONOutput.text(channels))
                    return
                }
                for channel in channels { try say("\(channel.id)\t\(channel.lastPosition)") }
            }
        }
    }
}
