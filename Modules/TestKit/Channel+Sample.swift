public import Causeway

extension Channel {
    /// A channel with an owner.
    public static func sample(_ id: ChannelID = .sample, name: String? = nil, isPublic: Bool = true) -> Channel {
        Channel(
            id: id, name: name, isPublic: isPublic, createdBy: .sample,
            createdAt: Timestamp(milliseconds: 1_700_000_000_000))
    }
}

extension ChannelMember {
    /// A membership.
    public static func sample(
        _ user: UserID = .sample, in channel: ChannelID = .sample, role: ChannelRole = .member
    ) -> ChannelMember {
        ChannelMember(
            channel: channel, user: user, role: role, joinedAt: Timestamp(milliseconds: 1_700_000_000_000))
    }
}
