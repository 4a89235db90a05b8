public import CausewayModels

/// The guarantees and limits of a transport and the server behind it.
///
/// Constant for the life of a transport. The engine keeps within them, and refuses a message that violates them before
/// anything of it is stored.
public struct TransportCapabilities: Sendable, Hashable {
    /// The server's own guarantees about order and repeats.
    public enum Ordering: Sendable, Hashable {
        /// The server keeps each lane as a chain: it applies an operation only if that names the lane's mark, answers a
        /// repeat with the stored result for ever, and never applies what a fence has barred. A server of this kind may
        /// also detect copied stores and report its history.
        case sequenced
        /// The server applies an operation once within `window` of the first time that it accepted its id, and knows
        /// neither lanes nor fences. The engine sends such a server one operation of a lane at a time, and waits for
        /// its result.
        ///
        /// A transport to such a server is an ``IdempotentTransport``, which asks about operations that are older. Its
        /// documentation lists the promises that it cannot make.
        case idempotent(window: Duration)
    }

    /// The guarantees of order.
    public var ordering: Ordering
    /// Batches of one lane that may be under way at once.
    public var deliveriesInFlightMax: Int
    /// Batches of all lanes that may be under way at once: the capacity of the client itself.
    public var deliveriesInFlightTotalMax: Int
    /// Operations in one batch.
    public var batchOperationsMax: Int
    /// Bytes of content in one batch; a single message may be larger.
    public var batchBytesMax: Int
    /// The kinds of operations that the server has.
    public var operations: Set<OperationKind>
    /// The largest contents that the server accepts.
    public var content: ContentLimits
    /// True if the server runs on this machine: the state of the network does not matter to it.
    public var isLocal = false
    /// The kinds of records other than messages that the server has.
    public var records: Set<RecordKind>

    /// Creates a description; with ``Ordering/idempotent(window:)`` every batch is a single operation, whatever the
    /// arguments.
    public init(
        ordering: Ordering, deliveriesInFlightMax: Int = 1, deliveriesInFlightTotalMax: Int = 16,
        batchOperationsMax: Int = Limits.batchOperationsMax, batchBytesMax: Int = Limits.batchBytesMax,
        operations: Set<OperationKind> = Set(OperationKind.allCases), content: ContentLimits = ContentLimits(),
        records: Set<RecordKind> = []
    ) {
        self.ordering = ordering
        self.deliveriesInFlightTotalMax = deliveriesInFlightTotalMax
        self.batchBytesMax = batchBytesMax
        self.operations = operations
        self.content = content
        self.records = records
        switch ordering {
        case .sequenced:
            self.deliveriesInFlightMax = deliveriesInFlightMax
            self.batchOperationsMax = batchOperationsMax
        case .idempotent:
            self.deliveriesInFlightMax = 1
            self.batchOperationsMax = 1
        }
    }
}
