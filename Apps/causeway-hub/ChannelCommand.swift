import ArgumentParser
import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayRecords

struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Add, list or remove channels and their members, also while the hub runs.",
        subcommands: [Add.self, List.self, Remove.self, ChannelMemberCommand.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a channel; an existing one is left unchanged.")
        @OptionGroup var data: DataOption
        @Option(name: .long, help: ArgumentHelp("The account that becomes its owner.", valueName: "account"))
        var owner: String?
        @Flag(name: .long, help: "Only members can find it, and only their moderators can add others.")
        var `private` = false
        @Argument(help: "Letters, digits and . _ - @ :") var name: String

        func run() async throws {
            try await failing {
                let id = try channelID(name)
                let (_, isNew) = try await data.administration().addChannel(
                    id, isPublic: !`private`, owner: owner.map(userID))
                if isNew { AuditLog(data.folder).record("channel created", name) }
                try say(isNew ? "Added \(name)" : "\(name) exists already")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a channel that has never had a message.")
        @OptionGroup var data: DataOption
        @Argument(help: "The channel.") var name: String

        func run() async throws {
            try await failing {
                try await data.administration().removeChannel(channelID(name))
                AuditLog(data.folder).record("channel removed", name)
                try say("Removed \(name)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the channels with their newest position and the number of their members.")
        @OptionGroup var data: DataOption
        @Flag(name: .long, help: "Print one JSON array.") var json = false

        func run() async throws {
            try await failing(asJSON: json) {
                let channels = try await data.administration().channels()
                guard !json else {
                    try say(JSONOutput.text(channels))
                    return
                }
                for channel in channels {
                    let members = "\(channel.memberCount) \(channel.memberCount == 1 ? "member" : "members")"
                    let access = channel.isPublic ? "public" : "private"
                    try say("\(channel.id)\t\(channel.lastPosition)\t\(members)\t\(access)")
                }
            }
        }
    }
}

/// - Throws: `HubError.badName`.
func channelID(_ name: String) throws(HubError) -> ChannelID {
    guard let id = ChannelID(name) else {
        throw HubError.badName(kind: "channel", name: name, problem: Name.problem(with: name) ?? "is wrong")
    }
    return id
}

/// - Throws: `HubError.badName`.
func userID(_ name: String) throws(HubError) -> UserID {
    guard let user = UserID(name) else {
        throw HubError.badName(kind: "account", name: name, problem: Name.problem(with: name) ?? "is wrong")
    }
    return user
}
