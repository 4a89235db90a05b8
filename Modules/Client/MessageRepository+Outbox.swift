package import CausewayModels
package import CausewayStorage
import CausewaySync

extension MessageRepository {
    /// One page of any query, with the reason why each message waits. Cost: linear in the size of the page.
    package func outbox(_ query: MessageQuery) async throws(ClientError) -> OutboxPage {
        let page: MessagePage
        do throws(StoreError) { page = try await store.page(query) } catch { throw .store(error) }
        let reasons = await engine.waitReasons(for: page.messages)
        return OutboxPage(
            items: page.messages.map { OutboxItem(message: $0, wait: reasons[$0.id]) }, next: page.next)
    }

    /// The existing messages with these ids, in the given order.
    package func getMessages(_ ids: [MessageID]) async throws(ClientError) -> [Message] {
        do throws(StoreError) { return try await store.messages(ids) } catch { throw .store(error) }
    }
}

extension MessageRepository {
    /// The reasons why these messages are not on the server yet; messages that do not wait are left out.
    public func waitReasons(for messages: [Message]) async -> [MessageID: WaitReason] {
        await engine.waitReasons(for: messages)
    }
}

/// A message of the outbox, and the reason why it is not on the server.
public struct OutboxItem: Sendable, Hashable {
    public let message: Message
    /// The reason why it is not on the server yet; `nil` for a failed message, which waits for user action.
    public let wait: WaitReason?

    public init(message: Message, wait: WaitReason?) {
        self.message = message
        self.wait = wait
    }
}

/// A page of the outbox.
public struct OutboxPage: Sendable {
    public let items: [OutboxItem]
    /// The start of the next page; `nil` if this was the last.
    public let next: MessageCursor?
}
