public import CausewayModels

/// A request for a page of the outbox: of all operations that the server has not confirmed, creations of messages
/// included. By key, never by offset.
public struct OperationQuery: Sendable, Hashable {
    /// The operations of a query, in an order of their own.
    public enum Scope: Sendable, Hashable {
        /// All of them, in the order in which they were made; of one channel if given.
        case undelivered(in: ChannelID?)
        /// All that are pending in this state (`created`, `uploading` or `syncing`), by ascending lane sequence: the
        /// order in which they will be sent. Without those that are parked behind a message; empty for other states.
        case pending(SyncState)
        /// All in state `error`, in the order in which they were made; of one channel if given.
        case failed(in: ChannelID?)
    }

    /// The operations and their order.
    public var scope: Scope
    /// The direction in which the page is read and listed.
    public var direction: MessageQuery.Direction
    /// The cursor after which the page begins, in `direction`; `nil` for the very end of the order.
    public var after: MessageCursor?
    /// The maximum number of operations: 1 to ``Limits/pageSizeMax``.
    public var limit: Int

    /// Creates a query; the limit is brought into its range.
    public init(
        scope: Scope, direction: MessageQuery.Direction = .ascending, after: MessageCursor? = nil,
        limit: Int = Limits.pageSizeDefault
    ) {
        self.scope = scope
        self.direction = direction
        self.after = after
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The result of an ``OperationQuery``.
public struct OperationPage: Sendable, Equatable {
    /// In the query's direction.
    public var operations: [QueuedOperation]
    /// The start of the next page; `nil` if this was the last.
    public var next: MessageCursor?

    /// Creates a page; see the properties.
    public init(operations: [QueuedOperation], next: MessageCursor?) {
        self.operations = operations
        self.next = next
    }
}

extension OperationQuery {
    /// The operation's cursor in the order of this query.
    public func cursor(of operation: QueuedOperation) -> MessageCursor {
        guard case .pending = scope else { return operation.cursor }
        return MessageCursor(position: .max, ordinal: operation.laneSequence)
    }
}
