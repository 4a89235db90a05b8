/// The number of operations in the outbox in each state: messages to be created, edits and reactions.
public struct StoreCounts: Sendable, Hashable, Codable {
    /// Operations that wait in the queue.
    public var created: Int
    /// Messages whose attachment is being uploaded.
    public var uploading: Int
    /// Operations that are being delivered.
    public var syncing: Int
    /// Failed operations of all kinds: ``failedMessages`` and ``failedChanges``.
    public var error: Int
    /// Failed messages, included in ``error``.
    public var failedMessages: Int
    /// Bytes of content of all of them.
    public var undeliveredBytes: Int
    /// Operations, included in ``created``, that wait for a failed message and resume when it is resent or deleted.
    public var blocked: Int

    /// Creates counts; all of them are 0 by default.
    public init(
        created: Int = 0, uploading: Int = 0, syncing: Int = 0, error: Int = 0, failedMessages: Int = 0,
        undeliveredBytes: Int = 0, blocked: Int = 0
    ) {
        self.created = created
        self.uploading = uploading
        self.syncing = syncing
        self.error = error
        self.failedMessages = failedMessages
        self.undeliveredBytes = undeliveredBytes
        self.blocked = blocked
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        created = try container.decode(Int.self, forKey: .created)
        uploading = try container.decode(Int.self, forKey: .uploading)
        syncing = try container.decode(Int.self, forKey: .syncing)
        error = try container.decode(Int.self, forKey: .error)
        undeliveredBytes = try container.decode(Int.self, forKey: .undeliveredBytes)
        // Absent in data of earlier versions, as is the next one.
        failedMessages = try container.decodeIfPresent(Int.self, forKey: .failedMessages) ?? error
        blocked = try container.decodeIfPresent(Int.self, forKey: .blocked) ?? 0
    }

    /// Failed edits and reactions.
    public var failedChanges: Int { error - failedMessages }

    /// All operations that the server has not confirmed.
    public var undelivered: Int { created + uploading + syncing + error }
}
