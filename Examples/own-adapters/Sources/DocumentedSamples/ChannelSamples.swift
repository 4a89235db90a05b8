package import Causeway

/// *Channels* of the documentation: create, join, leave, and query the members.
package struct ChannelSamples: Sendable {
    private let channels: ChannelRepository
    private let members: ChannelMemberRepository

    package init(_ client: CausewayClient) {
        channels = client.channels
        members = client.channelMembers
    }

    /// *Create a channel*, public, with members of the start.
    package func create(_ id: ChannelID, with users: [UserID]) async throws {
        try await channels.createChannel(id, ChannelSettings(name: "Weekend plans", isPublic: true))
        try await members.addMembers(users, to: id)
    }

    /// *Join a channel*. May be called again.
    package func join(_ id: ChannelID) async throws { try await channels.joinChannel(id) }

    /// *Leave a channel*.
    package func leave(_ id: ChannelID) async throws { try await channels.leaveChannel(id) }

    /// *Get a channel*.
    @MainActor
    package func channel(_ id: ChannelID) -> LiveObject<Channel> { channels.getChannel(id) }

    /// *Query channels*.
    @MainActor
    package func publicChannels() -> LiveCollection<Channel> { channels.getChannels() }

    /// *Query members*, in the order in which they joined.
    @MainActor
    package func members(of id: ChannelID) -> LiveCollection<ChannelMember> { members.getMembers(of: id) }

    /// *Query members* by their role.
    @MainActor
    package func owners(of id: ChannelID) -> LiveCollection<ChannelMember> {
        members.searchMembers(of: id, with: .owner)
    }

    /// *Observe the membership* of the user.
    @MainActor
    package func memberships() throws -> LiveCollection<ChannelMember> { try members.getMemberships() }
}
