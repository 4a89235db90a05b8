public import CausewayModels

/// The membership of a user in a channel. Only members read and write a channel.
public struct ChannelMember: Record {
    /// The kind `channelMember`.
    public static let kind: RecordKind = "channelMember"

    /// The channel that the user may read and write.
    public let channel: ChannelID
    /// The member.
    public let user: UserID
    /// The rights of the member.
    public var role: ChannelRole
    /// The time when the present membership began.
    public var joinedAt: Timestamp
    /// The member who removed this one, which therefore cannot join again; only in a deleted record.
    public var removedBy: UserID?
    public var version: Int64 = 0

    private enum CodingKeys: String, CodingKey { case channel, user, role, joinedAt, removedBy }

    /// Creates a membership of version 0: one that the server has not confirmed yet.
    public init(channel: ChannelID, user: UserID, role: ChannelRole, joinedAt: Timestamp) {
        self.channel = channel
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
    }

    public var id: ChannelMemberID { ChannelMemberID(channel: channel, user: user) }
}

/// The id of a membership: `CHANNEL/USER`. Neither name can contain the slash.
public struct ChannelMemberID: Sendable, Hashable, LosslessStringConvertible {
    /// The channel of the membership.
    public let channel: ChannelID
    /// The user of the membership.
    public let user: UserID

    /// Creates an id; every pair is valid.
    public init(channel: ChannelID, user: UserID) {
        self.channel = channel
        self.user = user
    }

    /// - Returns: `nil` unless the text is two valid names with a slash between them.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let channel = ChannelID(String(parts[0])), let user = UserID(String(parts[1])) else {
            return nil
        }
        self.init(channel: channel, user: user)
    }

    public var description: String { "\(channel)/\(user)" }
}

/// The rights of a member, each including those below it.
///
/// - `owner`: gives and takes roles.
/// - `moderator`: renames the channel, adds and removes plain members, deletes messages of others.
/// - `member`: reads and writes.
public enum ChannelRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// Gives and takes roles; a channel keeps at least one owner.
    case owner
    /// Renames the channel, adds and removes plain members, deletes messages of others.
    case moderator
    /// Reads and writes.
    case member

    /// True if the role includes deleting the messages of others.
    public var moderates: Bool { self != .member }
}

// MARK: - Lists

extension ChannelMember {
    /// The members of a channel, by the time when they joined.
    public static func members(of channel: ChannelID) -> RecordList {
        RecordList(kind: kind, name: "byChannel", scope: channel.value)
    }

    /// The memberships of a user, by the time when they began.
    public static func channels(of user: UserID) -> RecordList {
        RecordList(kind: kind, name: "byUser", scope: user.value)
    }

    /// The members of a channel that have this role, by the time when they joined.
    public static func members(of channel: ChannelID, with role: ChannelRole) -> RecordList {
        RecordList(kind: kind, name: "byRole", scope: "\(channel)/\(role.rawValue)")
    }

    public var entries: [ListEntry] {
        [Self.members(of: channel), Self.channels(of: user), Self.members(of: channel, with: role)].map {
            ListEntry($0.name, scope: $0.scope, key: ListKey(joinedAt))
        }
    }
}

extension ChannelMember {
    public static func problem(with write: RecordWrite) -> RecordProblem? {
        do throws(RecordProblem) {
            _ = try ChannelMemberAction(write)
            return nil
        } catch {
            return error
        }
    }
}
