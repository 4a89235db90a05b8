/// The capabilities of a transport and the server behind it.
public struct TransportCapabilities: Sendable, Hashable {
    /// The time for which the server remembers the ids of accepted operations.
    public enum DedupeWindow: Sendable, Hashable {
        case forever
        case limited(Duration)
    }

    /// Batches of one lane that may be under way at once.
    public var deliveriesInFlightMax: Int
    /// Batches of all lanes that may be under way at once: the capacity of the client itself.
    public var deliveriesInFlightTotalMax: Int
    public var dedupeWindow: DedupeWindow
    /// Operations in one batch.
    public var batchOperationsMax: Int
    /// Bytes of content in one batch.
    public var batchBytesMax: Int

    public init(
        deliveriesInFlightMax: Int, deliveriesInFlightTotalMax: Int = 16, dedupeWindow: DedupeWindow,
        batchOperationsMax: Int, batchBytesMax: Int
    ) {
        self.deliveriesInFlightTotalMax = deliveriesInFlightTotalMax
        self.deliveriesInFlightMax = deliveriesInFlightMax
        self.dedupeWindow = dedupeWindow
        self.batchOperationsMax = batchOperationsMax
        self.batchBytesMax = batchBytesMax
    }
}
