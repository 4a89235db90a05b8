import Causeway
import Synchronization

/// Typing on a ``ScriptedServer``; nobody is ever present, and nothing ends by itself.
struct ScriptedEphemeral: Sendable {
    private struct Device: Hashable {
        var channel: ChannelID
        var user: UserID
        var name: String
    }

    private var signals: [Device: TypingSignal] = [:]
    private(set) var changes = 0

    mutating func receive(_ signal: TypingSignal, of user: UserID) {
        let device = Device(channel: signal.channel, user: user, name: signal.device)
        if let known = signals[device], known.sequence >= signal.sequence { return }
        signals[device] = signal
        changes += 1
    }

    /// - Parameter seen: the number of changes that a reader has seen; `nil` for none.
    func update(after seen: Int?) -> EphemeralUpdate? {
        guard seen != changes else { return nil }
        let channels = Dictionary(grouping: signals, by: \.key.channel).map { channel, signals in
            let typing = Set(signals.filter(\.value.isTyping).map(\.key.user)).map {
                EphemeralUpdate.Typing(user: $0, remaining: .seconds(6))
            }
            return EphemeralUpdate.Channel(channel: channel, typing: typing, present: [])
        }
        return EphemeralUpdate(channels: channels, isComplete: true)
    }
}

/// The typing signals to a ``ScriptedServer``.
struct ScriptedEphemeralEvents: EphemeralEvents {
    let connection: ScriptedConnection

    func setTyping(_ signal: TypingSignal) async throws(TransportError) {
        try connection.check()
        let user = try connection.user()
        try connection.server.state.withLock { state throws(TransportError) in
            guard state.isKnown(signal.channel) else {
                throw .refused(code: "channelNotFound", detail: "there is no such channel")
            }
            state.ephemeral.receive(signal, of: user)
        }
    }
}
