package import CausewayModels

/// The ephemeral events of a part of the log: who is typing, and who is present, in the channels of which the account
/// is a member. Never in the log; nothing of it is stored, and it has no cursor.
///
/// A request for events that names `ephemeral=SEEN` gets them with a part that is up to date. `SEEN` is the `seen` of
/// the previous part, or `0`; a request that waits ends for ephemeral events that are newer. Text of another hub, or
/// from before it was started, counts as `0`. A stream names only its first one; after a part that is not up to date it
/// begins with `0` again.
package struct WireEphemeral: Sendable, Hashable, Codable {
    /// Nothing has been seen.
    package static let unseen = "0"

    /// An account that is typing.
    package struct Typing: Sendable, Hashable, Codable {
        package var user: UserID
        /// The time until it ends, unless a later part says otherwise.
        package var milliseconds: Int64

        package init(user: UserID, milliseconds: Int64) {
            self.user = user
            self.milliseconds = milliseconds
        }
    }

    /// The whole state of one channel.
    package struct Channel: Sendable, Hashable, Codable {
        package var channel: ChannelID
        package var typing: [Typing]
        /// The accounts that are present.
        package var present: [UserID]

        package init(channel: ChannelID, typing: [Typing], present: [UserID]) {
            self.channel = channel
            self.typing = typing
            self.present = present
        }
    }

    package var seen: String
    /// True if channels that are not listed have no ephemeral events.
    package var isComplete: Bool
    /// The channels that have changed.
    package var channels: [Channel]

    package init(seen: String, isComplete: Bool, channels: [Channel]) {
        self.seen = seen
        self.isComplete = isComplete
        self.channels = channels
    }
}

/// `PUT /v1/channels/CHANNEL/typing`: a typing signal of a device; the response is a ``WireTypingResult``.
///
/// The account counts as typing for 6 s; a device that goes on typing repeats the signal every few seconds. A signal is
/// never repeated after an error.
package struct WireTyping: Sendable, Hashable, Codable {
    /// Bytes of a device's name.
    package static let deviceBytesMax = 64

    /// Distinguishes the devices of an account, and the runs of one: 1 to 64 printable ASCII characters, no spaces.
    package var device: String
    /// Grows with each signal of the device: the hub ignores one that a later one has overtaken.
    package var sequence: Int64
    package var isTyping: Bool

    package static func isDevice(_ text: String) -> Bool {
        (1...deviceBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    package init(device: String, sequence: Int64, isTyping: Bool) {
        self.device = device
        self.sequence = sequence
        self.isTyping = isTyping
    }
}

/// The effect of a typing signal.
package struct WireTypingResult: Sendable, Hashable, Codable {
    /// False if a later signal of the device arrived before it, or too many devices are typing.
    package var isShown: Bool

    package init(isShown: Bool) { self.isShown = isShown }
}
