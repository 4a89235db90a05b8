public import CausewayLiveQuery
public import CausewayModels
public import CausewayRecords
import CausewaySync

/// Observes, creates and changes channels, and joins and leaves them.
///
/// Available as ``CausewayClient/channels``. Thread-safe.
///
/// Writes are sent at once, as those of ``RecordRepository``.
public struct ChannelRepository: Sendable {
    let records: RecordRepository

    // MARK: - Observing

    /// One channel, by its id: the stored one at once, the server's as soon as it responds, and every change from then
    /// on. `snapshot` is `nil` while it does not exist for the account.
    @MainActor
    public func getChannel(_ id: ChannelID) -> LiveObject<Channel> { records.getRecord(Channel.self, id) }

    /// The channels that every account can find and join, by name. The channels of a user are
    /// ``ChannelMemberRepository/getMemberships(direction:pageSize:)``.
    ///
    /// - Parameters:
    ///   - direction: `.ascending` begins with the first name.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getChannels(
        direction: LiveDirection = .ascending, pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<Channel> {
        records.getRecords(Channel.self, in: Channel.openToAll, direction: direction, pageSize: pageSize)
    }

    // MARK: - Writing

    /// Creates a channel, with the session's user as its owner. Throws ``ClientError/transport(_:)`` with `refused` if
    /// there is one with this id already, whoever can see it.
    public func createChannel(
        _ id: ChannelID, _ settings: ChannelSettings = ChannelSettings()
    ) async throws(ClientError) {
        try await write(.create(id, settings), id)
    }

    /// Changes the settings of a channel; `nil` leaves one unchanged. Only for its owners and moderators.
    public func updateChannel(_ id: ChannelID, _ settings: ChannelSettings) async throws(ClientError) {
        try await write(.update(id, settings), id)
    }

    /// Joins a public channel. Does nothing if the session's user is a member already.
    public func joinChannel(_ id: ChannelID) async throws(ClientError) {
        try await members.write(.join, try records.currentUser(), in: id)
    }

    /// Leaves a channel. Its messages that are stored here are kept.
    public func leaveChannel(_ id: ChannelID) async throws(ClientError) {
        try await members.write(.leave, try records.currentUser(), in: id)
    }

    private var members: ChannelMemberRepository { ChannelMemberRepository(records: records) }

    private func write(_ action: ChannelAction, _ id: ChannelID) async throws(ClientError) {
        try await records.write(action.write, of: Channel.self)
        if case .create = action, let user = try? records.currentUser() {
            await records.refresh(ChannelMember.self, ChannelMemberID(channel: id, user: user))
        }
    }
}
