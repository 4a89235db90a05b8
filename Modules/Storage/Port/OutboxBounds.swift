public import CausewayModels

/// The capacity of one outbox; beyond it a message is refused and nothing old is dropped.
public struct OutboxBounds: Sendable, Hashable {
    /// Operations that are not delivered.
    public var messagesMax: Int
    /// Bytes of content.
    public var bytesMax: Int

    /// Creates a capacity; by default ``Limits/outboxMessagesMax`` operations and ``Limits/outboxBytesMax`` bytes.
    public init(messagesMax: Int = Limits.outboxMessagesMax, bytesMax: Int = Limits.outboxBytesMax) {
        self.messagesMax = messagesMax
        self.bytesMax = bytesMax
    }

    /// The reason to refuse a message of `bytes` bytes; `nil` if the outbox with these counts has room for it.
    package func refusal(bytes: Int, _ counts: StoreCounts) -> StoreError? {
        guard counts.undelivered < messagesMax, counts.undeliveredBytes + bytes <= bytesMax else {
            return .outboxFull(messages: counts.undelivered, bytes: counts.undeliveredBytes)
        }
        return nil
    }
}

extension StoreCounts {
    /// Adds (or with `-1` subtracts) one operation in the given state; `synced` messages do not count.
    ///
    /// - Parameter createsMessage: true for a message, false for an edit or a reaction.
    public mutating func count(_ state: SyncState, createsMessage: Bool, bytes: Int, times: Int = 1) {
        switch state {
        case .created: created += times
        case .uploading: uploading += times
        case .syncing: syncing += times
        case .error:
            error += times
            if createsMessage { failedMessages += times }
        case .synced: return
        }
        undeliveredBytes += bytes * times
    }
}
