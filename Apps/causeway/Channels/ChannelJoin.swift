import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct ChannelJoin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "join", abstract: "Join a public channel.")

    @Argument(help: "The channel.") var channel: ChannelArgument
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            let user = try await route.service.currentUser()
            return try await route.service.change(.join, of: user, in: channel, console, "Joined \(channel)")
        }
    }
}

struct ChannelLeave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a channel.",
        discussion: "Its stored messages are kept. The last owner cannot leave: make another member the owner first.")

    @Argument(help: "The channel.") var channel: ChannelArgument
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            let user = try await route.service.currentUser()
            return try await route.service.change(.leave, of: user, in: channel, console, "Left \(channel)")
        }
    }
}

struct ChannelAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add users to a channel. For its owners and moderators.",
        discussion: """
            A user who is a member already keeps the role. Ends at the first user who cannot be added. --json prints \
            {"records":[{"kind":…,"id":…,"version":…}]} with those who were added.
            """)

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Argument(help: "The users.") var users: [UserArgument]
    @Option(help: "The role of new members: owner, moderator or member.") var role: RoleArgument = .member
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            return try await route.service.change(.add(role.role), of: try users.ids(), in: channel, console) {
                "Added \($0) to \(channel)"
            }
        }
    }
}

struct ChannelRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove users from a channel. For its owners and moderators.",
        discussion: """
            A removed user cannot join again until an owner or a moderator adds them. Ends at the first user who \
            cannot be removed. --json prints {"records":[{"kind":…,"id":…,"version":…}]} with those who were removed.
            """)

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Argument(help: "The users.") var users: [UserArgument]
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            return try await route.service.change(.remove, of: try users.ids(), in: channel, console) {
                "Removed \($0) from \(channel)"
            }
        }
    }
}

struct ChannelSetRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-role", abstract: "Change the role of a member. For owners.")

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Argument(help: "The user.") var user: UserArgument
    @Argument(help: "owner, moderator or member.") var role: RoleArgument
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            let user = try user.id()
            let text = "\(user) is \(role == .owner ? "an" : "a") \(role.rawValue) of \(channel)"
            return try await route.service.change(.setRole(role.role), of: user, in: channel, console, text)
        }
    }
}

extension [UserArgument] {
    fileprivate func ids() throws(ControlError) -> [UserID] {
        var ids: [UserID] = []
        for argument in self { ids.append(try argument.id()) }
        return ids
    }
}
