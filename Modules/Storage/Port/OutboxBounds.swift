package import CausewayModels

/// The capacity of one outbox; beyond it a message is refused and nothing old is dropped.
package struct OutboxBounds: Sendable, Hashable {
    package var messagesMax: Int
    package var bytesMax: Int

    package init(messagesMax: Int = Limits.outboxMessagesMax, bytesMax: Int = Limits.outboxBytesMax) {
        self.messagesMax = messagesMax
        self.bytesMax = bytesMax
    }

    /// Refuses a message of `bytes` bytes if the outbox with these counts has no room for it.
    package func admit(bytes: Int, to counts: StoreCounts) throws(StoreError) {
        guard counts.undelivered < messagesMax, counts.undeliveredBytes + bytes <= bytesMax else {
            throw .outboxFull(messages: counts.undelivered, bytes: counts.undeliveredBytes)
        }
    }
}

extension StoreCounts {
    /// Adds (or with `-1` subtracts) one message in the given state; `synced` messages do not count.
    package mutating func count(_ state: SyncState, bytes: Int, times: Int = 1) {
        switch state {
        case .created: created += times
        case .uploading: uploading += times
        case .syncing: syncing += times
        case .error: error += times
        case .synced: return
        }
        undeliveredBytes += bytes * times
    }
}
