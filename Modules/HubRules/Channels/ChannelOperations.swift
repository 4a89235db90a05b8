package import CausewayModels
package import CausewayRecords

/// The operator's changes to channels, which no rights bind: they repair them.
package enum ChannelOperations {
    package static func keys(of channel: ChannelID, users: [UserID]) -> RecordKeys {
        var keys = RecordKeys(records: [RecordKey(Channel.self, channel)], counted: [Channel.all], users: Set(users))
        for user in users {
            keys.records.insert(RecordKey(ChannelMember.self, ChannelMemberID(channel: channel, user: user)))
        }
        return keys
    }

    /// Creates a channel without members; an existing one is left unchanged.
    ///
    /// - Returns: whether this call created it.
    /// - Throws: `tooMany`.
    package static func add(
        _ id: ChannelID, _ settings: ChannelSettings, at now: Timestamp, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Bool {
        guard records.channel(id) == nil else { return false }
        _ = try ChannelRules.create(id, settings, by: nil, at: now, &records)
        return true
    }

    /// Makes an account a member, also one that was removed, or changes its role.
    ///
    /// - Throws: `channelNotFound`, `accountNotFound`.
    package static func setMember(
        _ id: ChannelMemberID, _ role: ChannelRole, at now: Timestamp, _ records: inout RecordTransaction
    ) throws(RecordProblem) {
        guard var channel = records.channel(id.channel) else { throw .channelNotFound(id.channel) }
        if var member = records.record(ChannelMember.self, id) {
            guard member.role != role else { return }
            member.role = role
            records.put(member)
            return
        }
        guard records.isUser(id.user) else {
            throw RecordProblem(code: "accountNotFound", detail: "no account named \(id.user)")
        }
        channel.memberCount += 1
        records.put(channel)
        records.put(ChannelMember(channel: id.channel, user: id.user, role: role, joinedAt: now))
    }

    /// Ends a membership, also that of the last owner. The account can join again.
    ///
    /// - Throws: `channelNotFound`, `memberNotFound`.
    package static func removeMember(
        _ id: ChannelMemberID, _ records: inout RecordTransaction
    ) throws(RecordProblem) {
        guard var channel = records.channel(id.channel) else { throw .channelNotFound(id.channel) }
        if var former = records.deletedRecord(ChannelMember.self, id), former.removedBy != nil {
            former.removedBy = nil
            records.delete(former)
            return
        }
        guard let member = records.record(ChannelMember.self, id) else { throw .memberNotFound(id) }
        channel.memberCount = max(0, channel.memberCount - 1)
        records.put(channel)
        records.delete(member)
    }

    /// Removes a channel that never had a message, with its memberships.
    ///
    /// - Parameter members: all members, as they were listed; their records are among the keys.
    /// - Returns: false when the members have changed since they were listed.
    /// - Throws: `channelNotFound`, `channelInUse`.
    package static func remove(
        _ id: ChannelID, members: [UserID], _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Bool {
        guard let channel = records.channel(id) else { throw .channelNotFound(id) }
        guard channel.lastPosition == 0 else {
            throw RecordProblem(
                code: "channelInUse",
                detail: "the channel \(id) has had messages; only a channel that never had any can be removed")
        }
        let found = members.compactMap { records.member($0, of: id) }
        guard found.count == channel.memberCount else { return false }
        for member in found { records.delete(member) }
        records.delete(channel)
        return true
    }
}
