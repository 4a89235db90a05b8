package import CausewayModels
package import CausewayStorage
import CausewaySync

extension MessageRepository {
    /// One page of any query, and why each message of it waits. Cost: the size of the page.
    package func outbox(_ query: MessageQuery) async throws(ClientError) -> OutboxPage {
        let page: MessagePage
        do throws(StoreError) { page = try await store.page(query) } catch { throw .store(error) }
        let reasons = await engine.waitReasons(for: page.messages)
        return OutboxPage(
            items: page.messages.map { OutboxItem(message: $0, wait: reasons[$0.id]) }, next: page.next)
    }

    /// The messages with these ids that are there, in the order asked for.
    package func getMessages(_ ids: [MessageID]) async throws(ClientError) -> [Message] {
        do throws(StoreError) { return try await store.messages(ids) } catch { throw .store(error) }
    }
}
