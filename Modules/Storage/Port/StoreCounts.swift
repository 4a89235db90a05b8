/// How many undelivered messages there are.
public struct StoreCounts: Sendable, Hashable, Codable {
    public var created: Int
    public var uploading: Int
    public var syncing: Int
    public var error: Int
    /// Bytes of content of all undelivered messages.
    public var undeliveredBytes: Int

    public init(created: Int = 0, uploading: Int = 0, syncing: Int = 0, error: Int = 0, undeliveredBytes: Int = 0) {
        self.created = created
        self.uploading = uploading
        self.syncing = syncing
        self.error = error
        self.undeliveredBytes = undeliveredBytes
    }

    public var undelivered: Int { created + uploading + syncing + error }
}
