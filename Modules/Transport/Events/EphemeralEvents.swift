public import CausewayModels

/// A server's ephemeral events: who is typing, and who is present.
///
/// They are for connected readers only. Nothing of them is stored or resumed, they have no cursor, and the latest value
/// wins; a reader that was away gets the values of now. They arrive in ``EventBatch/ephemeral`` of an ``EventSource``.
/// An account is present in its channels while one of its devices reads events, and for a while afterwards.
///
/// Promises of every implementation:
///
/// 1. Of two signals of a device, the one with the higher ``TypingSignal/sequence`` wins, in whatever order they
///    arrive.
/// 2. Typing ends by itself, a few seconds after the last signal.
/// 3. Only members of a channel get its ephemeral events, and only they are accepted as typing. A signal of another
///    account is `refused`.
/// 4. The first ephemeral events of a stream are complete (``EphemeralUpdate/isComplete``), and so are the first ones
///    after a batch that is not up to date.
/// 5. A call sends a signal once, and waits for nothing but the response.
public protocol EphemeralEvents: Sendable {
    /// Reports that the account has begun to type in a channel, goes on typing, or has stopped.
    ///
    /// Sent at once; errors are classified as for ``Transport``. A caller never repeats a signal: the next one replaces
    /// it.
    func setTyping(_ signal: TypingSignal) async throws(TransportError)
}

/// A report of one device that its user is typing, or has stopped.
public struct TypingSignal: Sendable, Hashable {
    /// Characters of ``device``.
    public static let deviceBytesMax = 64

    /// The channel in which the user is typing.
    public var channel: ChannelID
    /// False when the user has stopped.
    public var isTyping: Bool
    /// Distinguishes the devices of an account, and the runs of one: opaque text of 1 to ``deviceBytesMax`` printable
    /// ASCII characters without spaces.
    public var device: String
    /// Grows with each signal of the device.
    public var sequence: Int64

    /// Creates a signal; a server refuses a `device` outside its limits.
    public init(channel: ChannelID, isTyping: Bool, device: String, sequence: Int64) {
        self.channel = channel
        self.isTyping = isTyping
        self.device = device
        self.sequence = sequence
    }
}

/// The ephemeral events that a batch brings.
public struct EphemeralUpdate: Sendable, Hashable {
    /// An account that is typing.
    public struct Typing: Sendable, Hashable {
        /// The account.
        public var user: UserID
        /// The time from the arrival of the batch until it ends, unless a later update says otherwise.
        public var remaining: Duration

        /// Creates an entry; see the properties.
        public init(user: UserID, remaining: Duration) {
            self.user = user
            self.remaining = remaining
        }
    }

    /// The whole state of one channel.
    public struct Channel: Sendable, Hashable {
        /// The channel.
        public var channel: ChannelID
        /// The accounts that are typing.
        public var typing: [Typing]
        /// The accounts that are present.
        public var present: [UserID]

        /// Creates a state; an account may be in both lists.
        public init(channel: ChannelID, typing: [Typing], present: [UserID]) {
            self.channel = channel
            self.typing = typing
            self.present = present
        }
    }

    /// Channels whose state has changed.
    public var channels: [Channel]
    /// True if channels that are not listed have no ephemeral events.
    public var isComplete: Bool

    /// Creates an update; see the properties.
    public init(channels: [Channel], isComplete: Bool) {
        self.channels = channels
        self.isComplete = isComplete
    }
}
