public import CausewayModels

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

/// A server's description of itself and of the account.
public struct ServerInfo: Sendable, Hashable {
    public var user: UserID
    /// Name and version of the server, for display.
    public var server: String
    /// The server's history; `nil` from a server without histories.
    public var history: ServerHistory?
    /// The marks of the lanes of the requested outbox, if the history is another one than the client knew; a lane
    /// without a mark has never been used there. `nil` otherwise.
    public var marks: [LaneID: Int64]?

    public init(user: UserID, server: String) {
        self.user = user
        self.server = server
    }
}
