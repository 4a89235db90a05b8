public import CausewayModels
import CausewaySync

extension MessageRepository {
    /// Why each of these messages is not on the server yet; those that do not wait are left out.
    public func waitReasons(for ids: [MessageID]) async -> [MessageID: WaitReason] {
        // What cannot be read now does not wait for anything that could be named.
        let messages = (try? await store.messages(ids)) ?? []
        return await engine.waitReasons(for: messages)
    }
}
