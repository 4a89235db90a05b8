package import CausewayModels

/// The writes to a membership.
package struct ChannelMemberAction: Sendable, Hashable {
    package enum Verb: Sendable, Hashable {
        /// Oneself, into a public channel.
        case join
        /// Oneself.
        case leave
        case add(ChannelRole)
        case remove
        case setRole(ChannelRole)
    }

    package var member: ChannelMemberID
    package var verb: Verb

    package init(_ verb: Verb, _ member: ChannelMemberID) {
        self.member = member
        self.verb = verb
    }
}

extension ChannelMemberAction {
    /// The write that carries the action.
    package var write: RecordWrite {
        let (name, role): (String, ChannelRole?) =
            switch verb {
            case .join: ("join", nil)
            case .leave: ("leave", nil)
            case .add(let role): ("add", role)
            case .remove: ("remove", nil)
            case .setRole(let role): ("setRole", role)
            }
        return RecordWrite(
            kind: ChannelMember.kind, record: member.description, action: name,
            arguments: role.map { .object(["role": .string($0.rawValue)]) } ?? .null)
    }

    /// - Throws: a write that is not one of these, or has invalid arguments.
    package init(_ write: RecordWrite) throws(RecordProblem) {
        guard let member = ChannelMemberID(write.record) else { throw .id(write) }
        switch write.action {
        case "join": self.init(.join, member)
        case "leave": self.init(.leave, member)
        case "add": self.init(.add(try Self.role(write.arguments) ?? .member), member)
        case "remove": self.init(.remove, member)
        case "setRole":
            guard let role = try Self.role(write.arguments) else { throw .arguments("setRole needs a role") }
            self.init(.setRole(role), member)
        default: throw .action(write)
        }
    }

    private static func role(_ arguments: JSONValue) throws(RecordProblem) -> ChannelRole? {
        guard let value = arguments["role"] else { return nil }
        guard let role = value.string.flatMap(ChannelRole.init) else {
            throw .arguments("role: must be owner, moderator or member")
        }
        return role
    }
}
