package import CausewayModels

/// The ephemeral events of one channel at one moment.
package struct EphemeralState: Sendable, Hashable {
    /// An account that is typing.
    package struct Typing: Sendable, Hashable {
        package var user: UserID
        /// The time until it ends by itself.
        package var remaining: Duration

        package init(user: UserID, remaining: Duration) {
            self.user = user
            self.remaining = remaining
        }
    }

    package var channel: ChannelID
    /// By name, each account once.
    package var typing: [Typing]
    /// The accounts that are present, by name.
    package var present: [UserID]

    package init(channel: ChannelID, typing: [Typing], present: [UserID]) {
        self.channel = channel
        self.typing = typing
        self.present = present
    }

    package var isEmpty: Bool { typing.isEmpty && present.isEmpty }

    /// About the bytes of its coded form, for the bounds of parts.
    package var bytes: Int {
        typing.reduce(48 + channel.value.utf8.count) { $0 + $1.user.value.utf8.count + 40 }
            + present.reduce(0) { $0 + $1.value.utf8.count + 4 }
    }
}

/// A typing signal of one device.
package struct EphemeralSignal: Sendable, Hashable {
    package var channel: ChannelID
    package var user: UserID
    /// Distinguishes the devices of an account, and the runs of one.
    package var device: String
    /// Grows with each signal of the device; a lower one is older, in whatever order they arrive.
    package var sequence: Int64
    package var isTyping: Bool

    package init(channel: ChannelID, user: UserID, device: String, sequence: Int64, isTyping: Bool) {
        self.channel = channel
        self.user = user
        self.device = device
        self.sequence = sequence
        self.isTyping = isTyping
    }
}
