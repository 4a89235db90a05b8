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

/// The JSON of a command that changes several memberships.
private struct MembershipChanges: Encodable {
    /// Those that were changed.
    var records: [RecordWriteResponse] = []
}

extension ControlService {
    /// Writes to one record.
    func write(_ write: RecordWrite) async throws(ControlError) -> RecordWriteResponse {
        try await self.write(RecordWriteRequest(write))
    }

    /// Changes one membership and reports it.
    func change(
        _ verb: ChannelMemberAction.Verb, of user: UserID, in channel: ChannelID, _ console: Console, _ text: String
    ) async throws(ControlError) -> ExitStatus {
        let response = try await change(verb, of: user, in: channel)
        try console.report(response) { _ in [text] }
        return .ok
    }

    /// Changes memberships one after the other up to the first that cannot be changed, and reports those that were
    /// changed.
    func change(
        _ verb: ChannelMemberAction.Verb, of users: [UserID], in channel: ChannelID, _ console: Console,
        _ words: (UserID) -> String
    ) async throws(ControlError) -> ExitStatus {
        var changes = MembershipChanges()
        var lines: [String] = []
        var problem: ControlError?
        for user in users where problem == nil {
            do throws(ControlError) {
                changes.records.append(try await change(verb, of: user, in: channel))
                lines.append(words(user))
            } catch {
                problem = error
            }
        }
        if problem == nil || !lines.isEmpty { try console.report(changes) { _ in lines } }
        if let problem { throw problem }
        return .ok
    }

    private func change(
        _ verb: ChannelMemberAction.Verb, of user: UserID, in channel: ChannelID
    ) async throws(ControlError) -> RecordWriteResponse {
        try await write(ChannelMemberAction(verb, ChannelMemberID(channel: channel, user: user)).write)
    }

    /// The user of the session.
    func currentUser() async throws(ControlError) -> UserID {
        if let session = try await status().session { return session.user }
        throw ControlError(.noSession, ClientError.noSession.description)
    }
}
