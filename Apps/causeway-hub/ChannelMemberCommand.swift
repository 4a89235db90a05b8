import ArgumentParser
import CausewayHub
import CausewayModels
import CausewayRecords

struct ChannelMemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member", abstract: "Add, list or remove the members of a channel, also while the hub runs.",
        discussion: "The operator is bound by no role: these commands repair rights.",
        subcommands: [Add.self, List.self, Remove.self])

    private static func role(_ name: String) throws -> ChannelRole {
        guard let role = ChannelRole(rawValue: name) else {
            throw ValidationError("a role is \(ChannelRole.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return role
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an account a member, or change its role.",
            discussion: "Also for an account that a moderator removed.")
        @OptionGroup var data: DataOption
        @Option(name: .long, help: "owner, moderator or member.", transform: ChannelMemberCommand.role)
        var role = ChannelRole.member
        @Argument(help: "The channel.") var channel: String
        @Argument(help: "The account.") var account: String

        func run() async throws {
            try await failing {
                let id = try ChannelMemberID(channel: channelID(channel), user: userID(account))
                try await data.administration().setMember(id, role)
                AuditLog(data.folder).record("member added", id.description)
                try say("\(account) is \(role == .owner ? "an" : "a") \(role.rawValue) of \(channel)")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a membership; the account can join the channel again if it is public.",
            discussion: "For an account that a moderator removed: allow it to join again.")
        @OptionGroup var data: DataOption
        @Argument(help: "The channel.") var channel: String
        @Argument(help: "The account.") var account: String

        func run() async throws {
            try await failing {
                let id = try ChannelMemberID(channel: channelID(channel), user: userID(account))
                try await data.administration().removeMember(id)
                AuditLog(data.folder).record("member removed", id.description)
                try say("Removed \(account) from \(channel)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the members of a channel by the time when they joined.")
        @OptionGroup var data: DataOption
        @Flag(name: .long, help: "Print one JSON array.") var json = false
        @Argument(help: "The channel.") var channel: String

        func run() async throws {
            try await failing(asJSON: json) {
                let id = try channelID(channel)
                let administration = try await data.administration()
                guard try await administration.channel(id) != nil else {
                    throw HubError.refused(
                        RecordProblem(code: "channelNotFound", detail: "no channel named \(channel)"))
                }
                let members = try await administration.members(of: id)
                guard !json else {
                    try say(JSONOutput.text(members))
                    return
                }
                for member in members {
                    try say("\(member.user)\t\(member.role.rawValue)\tsince \(member.joinedAt)")
                }
            }
        }
    }
}
