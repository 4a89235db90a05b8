import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "List, create, join and administer channels.",
        discussion: """
            Only members read and write a channel. Owners and moderators add and remove members; owners change roles.

            Changes are sent to the server at once and not queued: without a connection they fail with exit status \
            69, and one that the server refuses with 1. If a response is lost the change may have been made; list \
            the members before you repeat it.
            """,
        subcommands: [
            ChannelList.self, ChannelMembers.self, ChannelCreate.self, ChannelUpdate.self, ChannelJoin.self,
            ChannelLeave.self, ChannelAdd.self, ChannelRemove.self, ChannelSetRole.self,
        ])
}

/// A user as an argument. An invalid name is bad input (status 65), not a usage error.
struct UserArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    func id() throws(ControlError) -> UserID {
        guard let user = UserID(text) else {
            throw ControlError(.badRequest, "the user's name \(Name.problem(with: text) ?? "is wrong")")
        }
        return user
    }
}

/// A role as an argument.
enum RoleArgument: String, CaseIterable, ExpressibleByArgument {
    case owner, moderator, member

    var role: ChannelRole {
        switch self {
        case .owner: .owner
        case .moderator: .moderator
        case .member: .member
        }
    }
}

extension ControlService {
    /// Writes to one record.
    func write(_ write: RecordWrite) async throws(ControlError) -> RecordWriteResponse {
        try await self.write(RecordWriteRequest(write))
    }

    /// Changes memberships one after the other, and reports each one that was changed.
    func change(
        _ verb: ChannelMemberAction.Verb, of users: [UserID], in channel: ChannelID, _ console: Console,
        _ words: (UserID) -> String
    ) async throws(ControlError) -> ExitStatus {
        for user in users {
            let action = ChannelMemberAction(verb, ChannelMemberID(channel: channel, user: user))
            let response = try await write(action.write)
            try console.report(response) { _ in [words(user)] }
        }
        return .ok
    }

    /// The user of the session.
    func currentUser() async throws(ControlError) -> UserID {
        if let session = try await status().session { return session.user }
        throw ControlError(.noSession, ClientError.noSession.description)
    }
}
