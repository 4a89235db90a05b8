/// What a transport and the server behind it can do.
public struct TransportCapabilities: Sendable, Hashable {
    /// How long the server remembers the ids of what it accepted.
    public enum DedupeWindow: Sendable, Hashable {
        case forever
        case limited(Duration)
    }

    /// Deliveries of one lane that may be under way at once.
    public var deliveriesInFlightMax: Int
    public var dedupeWindow: DedupeWindow
    /// Operations in one delivery.
    public var batchOperationsMax: Int
    /// Bytes of content in one delivery.
    public var batchBytesMax: Int

    public init(
        deliveriesInFlightMax: Int, dedupeWindow: DedupeWindow, batchOperationsMax: Int, batchBytesMax: Int
    ) {
        self.deliveriesInFlightMax = deliveriesInFlightMax
        self.dedupeWindow = dedupeWindow
        self.batchOperationsMax = batchOperationsMax
        self.batchBytesMax = batchBytesMax
    }
}
