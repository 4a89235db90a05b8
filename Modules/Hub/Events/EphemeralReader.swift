internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayRecords
internal import CausewayWire

/// The ephemeral events of a part of the log.
struct EphemeralPart: Sendable {
    var wire: WireEphemeral
    var token: EphemeralToken
    /// True if the reader has to be told; false if only the token has changed.
    var isNews: Bool
    /// True if there are further ones, which had no room.
    var hasMore: Bool
}

/// Reads ephemeral events as an account may see them now.
struct EphemeralReader: Sendable {
    let storage: any HubStorage

    /// - Returns: `nil` if there is nothing that the reader has not seen, or its memberships have just changed.
    func part(
        after seen: EphemeralToken, for account: HubAccount, _ session: EventSession
    ) async throws(HubStorageError) -> EphemeralPart? {
        guard let (part, token) = session.ephemeral(after: seen) else { return nil }
        let states = try await readable(part.states, for: account)
        // A reader without any state has nothing to clear.
        let isNews = !states.isEmpty || (part.isComplete && seen != .start) || part.hasMore
        guard isNews || token != seen else { return nil }
        return EphemeralPart(
            wire: WireEphemeral(
                seen: token.text, isComplete: part.isComplete, channels: states.map(WireEphemeral.Channel.init)),
            token: token, isNews: isNews, hasMore: part.hasMore)
    }

    /// The states of the channels of which the account is a member at this moment.
    private func readable(
        _ states: [EphemeralState], for account: HubAccount
    ) async throws(HubStorageError) -> [EphemeralState] {
        guard !states.isEmpty else { return [] }
        func key(_ state: EphemeralState) -> RecordKey {
            RecordKey(ChannelMember.self, ChannelMemberID(channel: state.channel, user: account.user))
        }
        let found = try await storage.records(RecordKeys(records: Set(states.map(key))))
        return states.filter { found.rows[key($0)].map { !$0.isDeleted } ?? false }
    }
}

extension WireEphemeral.Channel {
    fileprivate init(_ state: EphemeralState) {
        self.init(
            channel: state.channel,
            typing: state.typing.map {
                WireEphemeral.Typing(user: $0.user, milliseconds: max(1, $0.remaining.wholeMilliseconds))
            },
            present: state.present)
    }
}
