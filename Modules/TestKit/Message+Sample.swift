public import Causeway
import CausewayModels
import CausewayRuntime
import Synchronization

extension Message {
    /// A text message as a store holds it. Each call returns another one, later than those before.
    ///
    /// - Parameters:
    ///   - state: with `synced`, the default, the message has a position on the server.
    ///   - failure: the reason of an `error`.
    public static func sample(
        _ text: String = "hello", in channel: ChannelID = .sample, from sender: UserID = .sample,
        parent: MessageID? = nil, tags: [String] = [], state: SyncState = .synced, failure: Failure? = nil,
        at time: Timestamp? = nil
    ) -> Message {
        sample(
            .text(text), in: channel, from: sender, parent: parent, tags: tags, state: state, failure: failure,
            at: time)
    }

    /// A message as a store holds it. Each call returns another one, later than those before.
    ///
    /// - Parameters:
    ///   - state: with `synced`, the default, the message has a position on the server.
    ///   - failure: the reason of an `error`; without it that the server refused the message.
    ///   - reactions: the number of users who gave each reaction, by its name.
    ///   - time: when it was created; without it a second after the sample before.
    public static func sample(
        _ content: MessageContent, in channel: ChannelID = .sample, from sender: UserID = .sample,
        parent: MessageID? = nil, tags: [String] = [], state: SyncState = .synced, failure: Failure? = nil,
        reactions: [String: Int] = [:], at time: Timestamp? = nil
    ) -> Message {
        let number = nextNumber()
        let createdAt = time ?? Timestamp(milliseconds: 1_700_000_000_000 + number * 1000)
        let reason =
            state == .error
            ? failure ?? Failure(reason: .refused, code: "sample", detail: "refused by the server", at: createdAt) : nil
        return Message(
            id: MessageID(SystemRuntime().makeUUIDv7()), channel: channel, sender: sender, parent: parent,
            displayed: MessageBody(content: content, tags: tags, reactions: reactions), createdAt: createdAt,
            ordinal: number, lane: .text, laneSequence: number, syncState: state, failure: reason,
            serverPosition: state == .synced ? ServerPosition(position: number, acceptedAt: createdAt) : nil)
    }
}

/// Numbers samples, so that later ones sort after earlier ones.
private let lastNumber = Atomic<Int64>(0)

private func nextNumber() -> Int64 { lastNumber.add(1, ordering: .relaxed).newValue }
