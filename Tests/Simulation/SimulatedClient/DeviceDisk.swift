import CausewayModels
import CausewayStorage

/// The disk of a device with the store on it, for one process.
protocol DeviceDisk: Sendable {
    /// The store; the error if its files cannot be opened.
    var store: Result<any Store, StoreError> { get }
    var blobs: (any BlobStore)? { get }

    // For the witness. Must not be called by a subscriber, which runs within a commit.

    /// All committed data of the current account: the messages and the operations in the order of their arrival, the
    /// control entries by ascending sequence.
    var contents: (items: [StoredItem], controls: [ChainMarker]) { get }
    var account: Account? { get }
    var history: ServerHistory? { get }
    var outboxID: OutboxID? { get }

    // Ends

    /// The disk as the next process finds it when this one ends now. This one is unchanged, like that of a suspended
    /// process.
    func afterCrash() -> any DeviceDisk

    /// The disk after its power failed; `nil` if it does not know what it has confirmed.
    ///
    /// - Parameter keeps: draws whether a change survives that was not confirmed.
    func afterPowerFailure(_ keeps: () -> Bool) -> (any DeviceDisk)?

    // Faults

    func failNextCommits(_ count: Int, with error: StoreError)
}

extension MemoryStore: DeviceDisk {
    var store: Result<any Store, StoreError> { .success(self) }

    func afterCrash() -> any DeviceDisk { crashed() as MemoryStore }

    func afterPowerFailure(_ keeps: () -> Bool) -> (any DeviceDisk)? { nil }
}
