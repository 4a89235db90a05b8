package import CausewayRecords

/// The rights in a channel; free of I/O.
///
/// | | owner | moderator | member | non-member | removed |
/// | --- | --- | --- | --- | --- | --- |
/// | read the channel's record | yes | yes | yes | if public | if public |
/// | read its members and messages | yes | yes | yes | – | – |
/// | send, edit an own message, react | yes | yes | yes | – | – |
/// | delete an own message | yes | yes | yes | yes | yes |
/// | delete a message of another account | yes | yes | – | – | – |
/// | update the channel | yes | yes | – | – | – |
/// | add a member, remove a member | yes | yes | – | – | – |
/// | add or remove a moderator or an owner | yes | – | – | – | – |
/// | change a role | yes | – | – | – | – |
/// | join | yes | yes | yes | if public | – |
/// | leave | yes | yes | yes | – | – |
///
/// Joining changes nothing for a member. The right to delete an own message ends never: what an account wrote can be
/// withdrawn after it has left. The last owner can neither leave nor give up the role; see ``ChannelMemberRules``.
package enum ChannelRights {
    /// The relation of an account to a channel.
    package enum Standing: Sendable, Hashable, CaseIterable {
        case owner, moderator, member
        /// Never was a member, or has left.
        case nonMember
        /// Was removed by a member, and cannot join by itself.
        case removed

        package init(_ role: ChannelRole) {
            self =
                switch role {
                case .owner: .owner
                case .moderator: .moderator
                case .member: .member
                }
        }

        package var isMember: Bool {
            switch self {
            case .owner, .moderator, .member: true
            case .nonMember, .removed: false
            }
        }
    }

    package enum Verb: Sendable, Hashable, CaseIterable {
        case readChannel, readMembers, readMessages
        case send, editOwn, react, deleteOwn, deleteOthers
        case updateChannel, join, leave, setRole
        /// Add an account with this role.
        case add(ChannelRole)
        /// Remove a member that has this role.
        case remove(ChannelRole)

        package static var allCases: [Verb] {
            [
                .readChannel, .readMembers, .readMessages, .send, .editOwn, .react, .deleteOwn, .deleteOthers,
                .updateChannel, .join, .leave, .setRole,
            ] + ChannelRole.allCases.flatMap { [.add($0), .remove($0)] }
        }
    }

    package static func allows(_ verb: Verb, _ standing: Standing, isPublic: Bool) -> Bool {
        switch verb {
        case .deleteOwn: true
        case .readChannel: isPublic || standing.isMember
        case .join: standing.isMember || isPublic && standing == .nonMember
        case .readMembers, .readMessages, .send, .editOwn, .react, .leave: standing.isMember
        case .deleteOthers, .updateChannel, .add(.member), .remove(.member):
            standing == .owner || standing == .moderator
        case .setRole, .add(.owner), .add(.moderator), .remove(.owner), .remove(.moderator): standing == .owner
        }
    }
}
