import CausewayModels
import CausewayStorage
import Synchronization
import Testing

/// The values of the tests' messages.
enum Sample {
    static func draft(_ number: Int, text: String = "hello", high: UInt64 = 0x7000) throws -> MessageDraft {
        MessageDraft(
            id: id(number, high: high), channel: try #require(ChannelID("general")),
            sender: try #require(UserID("ada")),
            content: .text(text), createdAt: Timestamp(milliseconds: 1), lane: .text)
    }

    static func id(_ number: Int, high: UInt64 = 0x7000) -> MessageID {
        MessageID(UUIDv7(high: high, low: 1 << 63 | UInt64(truncatingIfNeeded: number)))
    }

    static func opening(_ restart: RestartPolicy = .resume) -> StartOptions {
        StartOptions(
            restart: restart,
            failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
            newOutboxID: OutboxID(UUIDv7(high: 0x7000, low: 1 << 63)))
    }
}

/// The statements that ran, in order.
final class Statements: Sendable {
    private let texts = Mutex<[String]>([])

    var inOrder: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
