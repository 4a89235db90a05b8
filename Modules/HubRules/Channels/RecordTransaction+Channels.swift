package import CausewayModels
package import CausewayRecords

/// Channels and memberships among the records of a transaction.
extension RecordTransaction {
    package mutating func channel(_ id: ChannelID) -> Channel? { record(Channel.self, id) }

    package mutating func member(_ user: UserID, of channel: ChannelID) -> ChannelMember? {
        record(ChannelMember.self, ChannelMemberID(channel: channel, user: user))
    }

    package mutating func standing(of user: UserID, in channel: ChannelID) -> ChannelRights.Standing {
        if let member = member(user, of: channel) { return ChannelRights.Standing(member.role) }
        let former = deletedRecord(ChannelMember.self, ChannelMemberID(channel: channel, user: user))
        return former?.removedBy == nil ? .nonMember : .removed
    }

    /// Why an account has no right to an action in a channel; `nil` if it has.
    ///
    /// A private channel does not exist for an account that was never one of its members, or has left.
    package mutating func refusal(
        _ verb: ChannelRights.Verb, by user: UserID, in channel: ChannelID
    ) -> RecordProblem? {
        guard let found = self.channel(channel) else { return .channelNotFound(channel) }
        let standing = standing(of: user, in: channel)
        if ChannelRights.allows(verb, standing, isPublic: found.isPublic) { return nil }
        switch standing {
        case .nonMember:
            guard found.isPublic else { return .channelNotFound(channel) }
            return RecordProblem(
                code: "notMember", detail: "\(user) is not a member of the channel \(channel); join the channel first")
        case .removed:
            return RecordProblem(
                code: "notMember",
                detail: "\(user) was removed from the channel \(channel); ask a moderator to be added again")
        case .owner, .moderator, .member:
            return RecordProblem(
                code: "forbidden", detail: "the role of \(user) in the channel \(channel) does not allow this")
        }
    }

    // MARK: - Derived values

    /// Counts new messages.
    package mutating func note(_ messages: AcceptedMessages) {
        guard var channel = channel(messages.channel) else { return }
        channel.lastPosition = messages.lastPosition
        channel.lastActivityAt = max(channel.lastActivityAt, messages.acceptedAt)
        channel.messageCount += messages.count
        put(channel)
    }

    /// Counts the deletion of a message.
    package mutating func noteDeletion(in id: ChannelID) {
        guard var channel = channel(id) else { return }
        channel.messageCount = max(0, channel.messageCount - 1)
        put(channel)
    }
}

/// New messages of one channel, accepted together.
package struct AcceptedMessages: Sendable {
    package let channel: ChannelID
    package let acceptedAt: Timestamp
    package private(set) var lastPosition: Int64 = 0
    /// Without those that were deleted before they arrived.
    package private(set) var count: Int64 = 0

    package init(in channel: ChannelID, acceptedAt: Timestamp) {
        self.channel = channel
        self.acceptedAt = acceptedAt
    }

    package mutating func append(at position: Int64, isDeleted: Bool) {
        lastPosition = position
        if !isDeleted { count += 1 }
    }
}

extension RecordKeys {
    /// The records that decide about the rights of an account in a channel.
    package static func rights(of user: UserID, in channel: ChannelID) -> RecordKeys {
        RecordKeys(records: [
            RecordKey(Channel.self, channel),
            RecordKey(ChannelMember.self, ChannelMemberID(channel: channel, user: user)),
        ])
    }
}

extension RecordProblem {
    static func channelNotFound(_ channel: ChannelID) -> RecordProblem {
        RecordProblem(code: "channelNotFound", detail: "no channel named \(channel)")
    }
}
