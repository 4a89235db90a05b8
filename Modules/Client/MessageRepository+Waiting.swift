public import CausewayModels
import CausewaySync

extension MessageRepository {
    /// Why each of these messages is not on the server yet; those that do not wait are left out.
    public func waitReasons(for messages: [Message]) async -> [MessageID: WaitReason] {
        await engine.waitReasons(for: messages)
    }
}
