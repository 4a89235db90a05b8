/// What a transport and the server behind it can do.
public struct TransportCapabilities: Sendable, Hashable {
    /// How long the server remembers the ids of what it accepted.
    public enum DedupeWindow: Sendable, Hashable {
        case forever
        case limited(Duration)
    }

    /// Deliveries of one lane that may be under way at once.
    public var deliveriesInFlightMax: Int
    /// Deliveries of all lanes that may be under way at once: what the client itself can carry.
    public var deliveriesInFlightTotalMax: Int
    public var dedupeWindow: DedupeWindow
    /// Operations in one delivery.
    public var batchOperationsMax: Int
    /// Bytes of content in one delivery.
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
