package import CausewayModels
package import CausewayStorage
import CausewaySync

extension MessageRepository {
    /// One page of any query, with the reason why each operation waits. Cost: linear in the size of the page.
    package func outbox(_ query: OperationQuery) async throws(ClientError) -> OutboxPage {
        let page: OperationPage
        do throws(StoreError) { page = try await store.operations(query) } catch { throw ClientError(error) }
        let reasons = await engine.waitReasons(for: page.operations)
        return OutboxPage(
            items: page.operations.map { OutboxItem(operation: $0, wait: reasons[$0.id]) },
            next: page.next)
    }

    /// The operations in the outbox with these ids, in the given order.
    package func getOperations(_ ids: [OperationID]) async throws(ClientError) -> [QueuedOperation] {
        do throws(StoreError) { return try await store.operations(ids) } catch { throw ClientError(error) }
    }
}

extension MessageRepository {
    /// The reasons why these messages or operations are not on the server yet; those that do not wait are left out.
    public func waitReasons(for items: [some Deliverable]) async -> [OperationID: WaitReason] {
        await engine.waitReasons(for: items)
    }
}

/// An operation of the outbox, and the reason why it is not on the server.
public struct OutboxItem: Sendable, Hashable {
    /// The operation with the state of its delivery.
    public let operation: QueuedOperation
    /// The reason why it is not on the server yet; `nil` for a failed operation, which waits for user action.
    public let wait: WaitReason?

    /// Creates an item; see the properties.
    public init(operation: QueuedOperation, wait: WaitReason?) {
        self.operation = operation
        self.wait = wait
    }
}

/// A page of the outbox.
public struct OutboxPage: Sendable {
    /// The operations of the page, oldest first.
    public let items: [OutboxItem]
    /// The start of the next page; `nil` if this was the last.
    public let next: MessageCursor?
}
