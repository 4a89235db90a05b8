public import CausewayModels
import CausewaySync

extension MessageRepository {
    /// The reasons why these messages are not on the server yet; messages that do not wait are left out.
    public func waitReasons(for messages: [Message]) async -> [MessageID: WaitReason] {
        await engine.waitReasons(for: messages)
    }
}
