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
