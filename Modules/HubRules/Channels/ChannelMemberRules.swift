package import CausewayModels
package import CausewayRecords

/// The rules of memberships: members of a channel read those of the channel, and every account its own.
///
/// A channel that an account created always has an owner: the last one can neither leave, nor be removed, nor give up
/// the role. Only the operator can leave a channel without one.
///
/// A write whose effect is there already is accepted and changes nothing: two devices may queue the same one offline.
package enum ChannelMemberRules: RecordRules {
    package typealias Value = ChannelMember

    package static func keys(toRead id: ChannelMemberID, by account: UserID) -> RecordKeys {
        .rights(of: account, in: id.channel)
    }

    package static func mayRead(
        _ member: ChannelMember, by account: UserID, _ records: inout RecordTransaction
    ) -> Bool {
        records.refusal(.readMembers, by: account, in: member.channel) == nil
    }

    package static func keys(toRead list: RecordList, by account: UserID) -> RecordKeys? {
        if list == ChannelMember.channels(of: account) { return RecordKeys() }
        return channel(of: list).map { .rights(of: account, in: $0) }
    }

    package static func mayRead(_ list: RecordList, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        if list == ChannelMember.channels(of: account) { return true }
        guard let channel = channel(of: list) else { return false }
        return records.refusal(.readMembers, by: account, in: channel) == nil
    }

    /// The channel whose members a list has.
    private static func channel(of list: RecordList) -> ChannelID? {
        guard let channel = list.scope.split(separator: "/").first.flatMap({ ChannelID(String($0)) }) else {
            return nil
        }
        let lists =
            [ChannelMember.members(of: channel)]
            + ChannelRole.allCases.map { ChannelMember.members(of: channel, with: $0) }
        return lists.contains(list) ? channel : nil
    }

    /// Also the account's own: it learns there of a membership that ended, when it can read the channel no more.
    package static func topics(of member: ChannelMember) -> [LogTopic] {
        [.channel(member.channel), .account(member.user)]
    }

    // MARK: - Writes

    package static func keys(of write: RecordWrite, by account: UserID) -> RecordKeys {
        guard let action = try? ChannelMemberAction(write) else { return RecordKeys() }
        let (channel, user) = (action.member.channel, action.member.user)
        var keys = RecordKeys.rights(of: account, in: channel)
        keys.records.insert(RecordKey(ChannelMember.self, action.member))
        switch action.verb {
        case .join: keys.counted = [ChannelMember.channels(of: user)]
        case .add:
            keys.counted = [ChannelMember.channels(of: user)]
            keys.users = [user]
        case .leave, .remove, .setRole: keys.counted = [ChannelMember.members(of: channel, with: .owner)]
        }
        return keys
    }

    package static func decide(
        _ write: RecordWrite, by account: UserID, at now: Timestamp, _ records: inout RecordTransaction
    ) -> WriteDecision {
        do throws(RecordProblem) {
            let action = try ChannelMemberAction(write)
            let id = action.member
            let version =
                switch action.verb {
                case .join: try join(id, by: account, at: now, &records)
                case .leave: try leave(id, by: account, &records)
                case .add(let role): try add(id, role, by: account, at: now, &records)
                case .remove: try remove(id, by: account, &records)
                case .setRole(let role): try setRole(role, of: id, by: account, &records)
                }
            return .accepted(version: version)
        } catch {
            return .refused(error)
        }
    }

    private static func join(
        _ id: ChannelMemberID, by account: UserID, at now: Timestamp, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        guard id.user == account else { throw .notOneself("join; add the other account instead") }
        if let problem = records.refusal(.join, by: account, in: id.channel) { throw problem }
        if let member = records.record(ChannelMember.self, id) { return member.version }
        return try insert(ChannelMember(channel: id.channel, user: id.user, role: .member, joinedAt: now), &records)
    }

    private static func leave(
        _ id: ChannelMemberID, by account: UserID, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        guard id.user == account else { throw .notOneself("leave; remove the other account instead") }
        if records.standing(of: account, in: id.channel) == .nonMember,
            let former = records.deletedRecord(ChannelMember.self, id)
        {
            return former.version
        }
        if let problem = records.refusal(.leave, by: account, in: id.channel) { throw problem }
        return try end(id, removedBy: nil, &records)
    }

    private static func add(
        _ id: ChannelMemberID, _ role: ChannelRole, by account: UserID, at now: Timestamp,
        _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        if let problem = records.refusal(.add(role), by: account, in: id.channel) { throw problem }
        if let member = records.record(ChannelMember.self, id) { return member.version }
        guard records.isUser(id.user) else {
            throw RecordProblem(code: "accountNotFound", detail: "no account named \(id.user)")
        }
        return try insert(ChannelMember(channel: id.channel, user: id.user, role: role, joinedAt: now), &records)
    }

    private static func remove(
        _ id: ChannelMemberID, by account: UserID, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        let role = records.record(ChannelMember.self, id)?.role ?? .member
        if let problem = records.refusal(.remove(role), by: account, in: id.channel) { throw problem }
        guard id.user != account else {
            throw RecordProblem(code: "forbidden", detail: "a member cannot remove itself; leave the channel instead")
        }
        if var former = records.deletedRecord(ChannelMember.self, id) {
            // It left, and must not come back.
            guard former.removedBy == nil else { return former.version }
            former.removedBy = account
            return records.delete(former)
        }
        return try end(id, removedBy: account, &records)
    }

    private static func setRole(
        _ role: ChannelRole, of id: ChannelMemberID, by account: UserID, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        if let problem = records.refusal(.setRole, by: account, in: id.channel) { throw problem }
        guard var member = records.record(ChannelMember.self, id) else { throw .memberNotFound(id) }
        guard member.role != role else { return member.version }
        if member.role == .owner { try requireAnotherOwner(of: id.channel, records) }
        member.role = role
        return records.put(member)
    }

    // MARK: - Changes

    private static func insert(
        _ member: ChannelMember, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        guard var channel = records.channel(member.channel) else { throw .channelNotFound(member.channel) }
        guard channel.memberCount < ChannelLimits.membersPerChannelMax else {
            throw .tooMany("members", on: "one channel", ChannelLimits.membersPerChannelMax)
        }
        guard records.count(of: ChannelMember.channels(of: member.user)) < ChannelLimits.channelsPerMemberMax else {
            throw .tooMany("channels", on: "one member", ChannelLimits.channelsPerMemberMax)
        }
        channel.memberCount += 1
        records.put(channel)
        return records.put(member)
    }

    private static func end(
        _ id: ChannelMemberID, removedBy remover: UserID?, _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        guard var member = records.record(ChannelMember.self, id) else { throw .memberNotFound(id) }
        guard var channel = records.channel(id.channel) else { throw .channelNotFound(id.channel) }
        if member.role == .owner { try requireAnotherOwner(of: id.channel, records) }
        channel.memberCount = max(0, channel.memberCount - 1)
        records.put(channel)
        member.removedBy = remover
        return records.delete(member)
    }

    private static func requireAnotherOwner(
        of channel: ChannelID, _ records: RecordTransaction
    ) throws(RecordProblem) {
        guard records.count(of: ChannelMember.members(of: channel, with: .owner)) > 1 else {
            throw RecordProblem(
                code: "lastOwner",
                detail: "the channel \(channel) would have no owner; make another member an owner first")
        }
    }
}

extension RecordProblem {
    fileprivate static func notOneself(_ rest: String) -> RecordProblem {
        RecordProblem(code: "forbidden", detail: "no account can make another one \(rest)")
    }

    static func memberNotFound(_ id: ChannelMemberID) -> RecordProblem {
        RecordProblem(code: "memberNotFound", detail: "\(id.user) is not a member of the channel \(id.channel)")
    }
}
