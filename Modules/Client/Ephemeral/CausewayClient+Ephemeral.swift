public import CausewayModels
import CausewaySync

/// Typing and presence: ephemeral events, which are for connected clients only. Nothing of them is stored or queued,
/// and while the server cannot be reached there are none.
extension CausewayClient {
    /// Reports that the session's user is typing in a channel, or has stopped.
    ///
    /// To be called with every change of the text: in each channel at most one beginning is sent every three seconds,
    /// and one end after it. The server ends typing after a few seconds, and when a message of the user arrives in the
    /// channel.
    ///
    /// A report is sent at once or not at all. It is never queued and never repeated; it is dropped without an error
    /// while no user is logged in, the server cannot be reached or has no ephemeral events, sending is paused, or the
    /// user may not write to the channel. Needs no particular thread, and waits neither for the network nor for the
    /// disk.
    public func setTyping(_ isTyping: Bool = true, in channel: ChannelID) async {
        await engine.setTyping(isTyping, in: channel)
    }

    /// The other users who are typing in a channel, from now on. Needs no main actor.
    ///
    /// ```swift
    /// for await users in client.typing(in: general) { show(users) }
    /// ```
    public func typing(in channel: ChannelID) -> ChannelUsers { ChannelUsers(engine, channel, .typing) }

    /// The users who are present in a channel, from now on: those with a client that follows events, now or half a
    /// minute ago, the session's user included. Needs no main actor.
    ///
    /// A server may show only some of many users, and a user only in some of many channels.
    public func presence(in channel: ChannelID) -> ChannelUsers { ChannelUsers(engine, channel, .present) }

    /// The other users who are typing in a channel, as an object for screens.
    @MainActor
    public func liveTyping(in channel: ChannelID) -> LiveChannelUsers {
        LiveChannelUsers(typing(in: channel), runtime)
    }

    /// The users who are present in a channel, as an object for screens; see ``presence(in:)``.
    @MainActor
    public func livePresence(in channel: ChannelID) -> LiveChannelUsers {
        LiveChannelUsers(presence(in: channel), runtime)
    }
}
