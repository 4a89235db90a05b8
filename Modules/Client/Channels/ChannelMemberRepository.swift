public import CausewayLiveQuery
public import CausewayModels
public import CausewayRecords
import CausewaySync

/// Observes and changes the members of channels.
///
/// Available as ``CausewayClient/channelMembers``. Thread-safe. Writes are sent at once, as those of
/// ``RecordRepository``.
public struct ChannelMemberRepository: Sendable {
    let records: RecordRepository

    // MARK: - Observing

    /// One membership. `snapshot` is `nil` while the user is not a member.
    @MainActor
    public func getMember(_ user: UserID, of channel: ChannelID) -> LiveObject<ChannelMember> {
        records.getRecord(ChannelMember.self, ChannelMemberID(channel: channel, user: user))
    }

    /// The members of a channel, by the time when they joined.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - direction: `.ascending` shows those who joined first at the beginning.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getMembers(
        of channel: ChannelID, direction: LiveDirection = .ascending, pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<ChannelMember> {
        collection(ChannelMember.members(of: channel), direction, pageSize)
    }

    /// The members of a channel that have this role, by the time when they joined.
    @MainActor
    public func searchMembers(
        of channel: ChannelID, with role: ChannelRole, direction: LiveDirection = .ascending,
        pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<ChannelMember> {
        collection(ChannelMember.members(of: channel, with: role), direction, pageSize)
    }

    /// The memberships of the session's user, by the time when they began: the channels of the user.
    ///
    /// Throws ``ClientError/noSession``. The collection remains that of this user in a later session of another one,
    /// and shows nothing then.
    @MainActor
    public func getMemberships(
        direction: LiveDirection = .ascending, pageSize: Int = Limits.pageSizeDefault
    ) throws(ClientError) -> LiveCollection<ChannelMember> {
        collection(ChannelMember.channels(of: try records.currentUser()), direction, pageSize)
    }

    @MainActor
    private func collection(
        _ list: RecordList, _ direction: LiveDirection, _ pageSize: Int
    ) -> LiveCollection<ChannelMember> {
        records.getRecords(ChannelMember.self, in: list, direction: direction, pageSize: pageSize)
    }

    // MARK: - Writing

    /// Adds users to a channel, one after the other. Only for its owners and moderators.
    ///
    /// Throws at the first user who cannot be added; those before are members then.
    public func addMembers(
        _ users: [UserID], to channel: ChannelID, role: ChannelRole = .member
    ) async throws(ClientError) {
        for user in users { try await write(.add(role), user, in: channel) }
    }

    /// Removes users from a channel, one after the other. Only for its owners and moderators.
    ///
    /// Throws at the first user who cannot be removed; those before are not members any more.
    public func removeMembers(_ users: [UserID], from channel: ChannelID) async throws(ClientError) {
        for user in users { try await write(.remove, user, in: channel) }
    }

    /// Changes the role of a member. Only for owners.
    public func setRole(_ role: ChannelRole, of user: UserID, in channel: ChannelID) async throws(ClientError) {
        try await write(.setRole(role), user, in: channel)
    }

    func write(_ verb: ChannelMemberAction.Verb, _ user: UserID, in channel: ChannelID) async throws(ClientError) {
        let member = ChannelMemberID(channel: channel, user: user)
        try await records.write(ChannelMemberAction(verb, member).write, of: ChannelMember.self)
        // Its number of members has changed.
        await records.refresh(Channel.self, channel)
    }
}
