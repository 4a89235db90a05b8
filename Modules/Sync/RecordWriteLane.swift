import CausewayModels
import CausewayTransport

/// The lane of writes that are sent at once: one operation at a time.
///
/// Its mark is not stored: a server that has another one answers with it.
struct RecordWriteLane {
    private let outbox: OutboxID
    /// The last sequence that the server has dealt with, as far as is known.
    private var mark: Int64 = 0

    init(outbox: OutboxID) { self.outbox = outbox }

    /// A delivery of the write; the same in every attempt until ``apply(_:)``.
    func delivery(of write: RecordWrite, as id: MessageID, knowing history: ServerHistory?) -> Delivery {
        var delivery = Delivery(
            outbox: outbox, epoch: 1, lane: .records,
            operations: [DeliveryOperation(sequence: mark + 1, previous: mark, body: .write(id, write))])
        delivery.history = history
        return delivery
    }

    /// Adopts the outcome of the operation that was delivered.
    ///
    /// - Returns: the result of the write; `nil` if it must be delivered again with the numbers that follow.
    mutating func apply(_ outcome: DeliveryOutcome) throws(TransportError) -> ServerPosition? {
        switch outcome {
        case .accepted(let position):
            mark += 1
            return position
        case .refused(let code, let detail):
            mark += 1
            throw .refused(code: code, detail: detail)
        case .gap(let mark), .late(let mark):
            self.mark = mark
            return nil
        case .tryLater(_, let detail, let after?): throw .rateLimited(after: after, detail: detail)
        case .tryLater(let code, let detail, nil): throw .transient(code: code, detail: detail)
        case .unrelated, .fenced, .deleted, .notAttempted:
            throw .inDoubt(detail: "the server's result does not fit a write")
        }
    }
}

extension LaneID {
    /// The lane of writes that are sent at once.
    fileprivate static let records = LaneID(rawValue: "records")
}

/// The writes that are waiting for their turn, and the one that is under way.
struct RecordWrites {
    /// The lane; `nil` before the first write.
    var lane: RecordWriteLane?
    private var isUnderWay = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// The number of writes that have not ended.
    var count: Int { waiting.count + (isUnderWay ? 1 : 0) }

    /// Begins a write; false if it must wait, because another one is under way.
    mutating func beginTurn() -> Bool {
        if isUnderWay { return false }
        isUnderWay = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Ends a write, and begins the next one.
    mutating func endTurn() {
        if waiting.isEmpty { isUnderWay = false } else { waiting.removeFirst().resume() }
    }
}
