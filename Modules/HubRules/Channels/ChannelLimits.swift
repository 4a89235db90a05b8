/// The limits of channels and memberships on a hub, with their units in their names.
package enum ChannelLimits {
    /// Channels of a hub, and at most ``RecordState/countMax``.
    package static let channelsMax = 10_000
    /// Channels that one account has created.
    package static let channelsPerCreatorMax = 500
    /// Channels of which one account is a member. The operator is not bound by it.
    package static let channelsPerMemberMax = 2_000
    /// Members of one channel. The operator is not bound by it.
    package static let membersPerChannelMax = 10_000
}
