import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct ChannelList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show your channels, or with --public those that everyone can join.",
        discussion: RecordListOptions.discussion)

    @Flag(name: .customLong("public"), help: "The channels that every account can find and join, by name.")
    var isPublic = false
    @OptionGroup var list: RecordListOptions
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let shown =
                isPublic ? Channel.openToAll : ChannelMember.channels(of: try await route.service.currentUser())
            try await list.report(shown, route.service, console) {
                isPublic ? ChannelListing.channels($0, for: $1) : ChannelListing.memberships($0, for: $1)
            }
            return .ok
        }
    }
}

struct ChannelMembers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: "Show the members of a channel, in the order in which they joined.",
        discussion: RecordListOptions.discussion)

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Option(help: "Only members with this role: owner, moderator or member.") var role: RoleArgument?
    @OptionGroup var list: RecordListOptions
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            let shown =
                role.map { ChannelMember.members(of: channel, with: $0.role) } ?? ChannelMember.members(of: channel)
            do throws(ControlError) {
                try await list.report(shown, route.service, console, words: ChannelListing.members)
            } catch {
                guard error.code == .refused else { throw error }
                throw ControlError(.refused, "the channel \(channel) does not exist, or you are not a member")
            }
            return .ok
        }
    }
}
