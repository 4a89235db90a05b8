import CausewayModels
import CausewayStorage
import Testing

/// The sample values of the tests.
enum Sample {
    static let me = UserID("ada")
    static let other = UserID("grace")

    static func id(_ number: Int) -> MessageID {
        let mixed = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        return MessageID(UUIDv7(high: mixed, low: 0x8000_0000_0000_0000 | UInt64(truncatingIfNeeded: number)))
    }

    static let time = Timestamp(milliseconds: 1_790_000_000_000)

    static func draft(_ number: Int, in channel: ChannelID) throws -> MessageDraft {
        MessageDraft(
            id: id(number), channel: channel, sender: try #require(me), content: .text("\(number)"), createdAt: time,
            lane: .text)
    }

    static func placed(
        _ number: Int, at position: Int64, _ text: String? = nil, in channel: ChannelID
    ) throws -> RemoteMessage {
        RemoteMessage(
            id: id(number), channel: channel, sender: try #require(other), content: .text(text ?? "\(number)"),
            createdAt: time, serverPosition: serverPosition(position))
    }

    static func serverPosition(_ position: Int64) -> ServerPosition {
        ServerPosition(position: position, acceptedAt: time)
    }
}

extension Message {
    /// The text of the message.
    var text: String {
        if case .text(let text) = content { text } else { "" }
    }
}
