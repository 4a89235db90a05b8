public import CausewayModels
public import CausewayRuntime
import Synchronization

/// A transport to a server that knows neither lanes nor fences: deduplication for a time, and questions.
///
/// The outbox needs no rule of its own for such servers. One operation of a lane is under way at a time, so the order
/// in which the server receives them is that of the lane; a repeat within half of the server's window is recognised by
/// its id; an older operation is looked up before it is sent again, and a fence is answered by a lookup.
///
/// **Promised**, as long as the network holds no request back for longer than half of the window, and the device's wall
/// clock is not set back between the creation and the repetition of an operation by less than its age:
///
/// - An operation is applied once, over repeats, restarts and renewed tokens.
/// - An operation that has a result is never reported as failed, and one that was looked up is reported as the server
///   has it.
///
/// **Not promised**, because only the server could:
///
/// - `fenced` means that the server had no copy when it was asked. A copy that arrives afterwards is applied: a message
///   that was given up, or deleted while in doubt, then appears after all, and after messages that were created later.
///   The next page that lists it makes it `synced`.
/// - A message that was deleted on the server cannot be distinguished from one that never arrived: a repeat after the
///   window stores it again.
/// - Edits and reactions of which the server keeps no ids are applied again after the window.
/// - Copied stores and restored servers are not detected: there are no lineage and no histories.
///
/// Cost of an operation: one request, and a lookup before it if the operation is old. The state in memory is bounded,
/// and may be lost at any time.
public final class IdempotentTransport: Transport {
    public let capabilities: TransportCapabilities
    private let server: any IdempotentServer
    private let runtime: any Runtime
    /// The only state; locked for a decision, never during a call.
    private let rules: Mutex<RepeatRules>

    /// Creates a transport. Does no network I/O yet.
    ///
    /// - Parameters:
    ///   - window: the time for which the server recognises an id.
    ///   - deliveriesInFlightTotalMax: operations of all lanes that may be under way at once.
    ///   - operations: the kinds of operations that the server has.
    ///   - content: the largest contents that it accepts.
    ///   - records: the kinds of records other than messages that it has.
    public init(
        to server: any IdempotentServer, window: Duration, deliveriesInFlightTotalMax: Int = 16,
        operations: Set<OperationKind> = Set(OperationKind.allCases), content: ContentLimits = ContentLimits(),
        records: Set<RecordKind> = [], runtime: any Runtime = SystemRuntime()
    ) {
        self.server = server
        self.runtime = runtime
        capabilities = TransportCapabilities(
            ordering: .idempotent(window: window), deliveriesInFlightTotalMax: deliveriesInFlightTotalMax,
            operations: operations, content: content, records: records)
        rules = Mutex(RepeatRules(window: window))
    }

    public func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo { try await server.authenticate() }

    /// Delivers the first operation; any others, which the capabilities forbid, are not attempted.
    public func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        guard let first = delivery.operations.first else { return DeliveryReport(mark: 0, outcomes: []) }
        let outcome = try await outcome(of: first, isOfEarlierOpening: first.sequence <= delivery.base)
        let others = delivery.operations.dropFirst().map { _ in DeliveryOutcome.notAttempted }
        return DeliveryReport(mark: first.sequence, outcomes: [outcome] + others)
    }

    public func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try await server.messages(query)
    }

    public func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        try await server.records(query)
    }

    public func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        RemoteRecordState(try await server.record(kind, id))
    }

    public func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState {
        RemoteMessageState(try await server.message(id))
    }

    public func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try await server.lookup(id)
    }

    public func close() async { await server.close() }

    // MARK: - One operation

    private func outcome(
        of operation: DeliveryOperation, isOfEarlierOpening: Bool
    ) async throws(TransportError) -> DeliveryOutcome {
        switch operation.body {
        case .fence(let id):
            let found = try await server.lookup(id)
            rules.withLock { $0.noteResult(id) }
            return found.map { .accepted($0) } ?? .fenced
        case .delete:
            // A deletion has no id of its own; a repeat finds nothing to delete.
            return DeliveryOutcome(try await server.apply(operation.body))
        case .send(let id, channel: _, content: _, createdAt: _, parent: _, tags: _),
            .edit(let id, target: _, content: _),
            .addReaction(let id, target: _, name: _), .removeReaction(let id, target: _, name: _),
            .write(let id, _):
            return try await result(of: operation.body, id, isOfEarlierOpening)
        }
    }

    private func result(
        of body: DeliveryOperation.Body, _ id: MessageID, _ isOfEarlierOpening: Bool
    ) async throws(TransportError) -> DeliveryOutcome {
        let needsLookup = rules.withLock { [runtime] rules in
            rules.needsLookup(
                id, isOfEarlierOpening: isOfEarlierOpening, at: runtime.now, wallClock: runtime.wallClock)
        }
        if needsLookup, let found = try await server.lookup(id) {
            rules.withLock { $0.noteResult(id) }
            return .accepted(found)
        }
        rules.withLock { [runtime] in $0.noteSent(id, at: runtime.now, wasLookedUp: needsLookup) }
        let result = try await server.apply(body)
        rules.withLock { $0.noteResult(id) }
        return DeliveryOutcome(result)
    }
}

extension DeliveryOutcome {
    fileprivate init(_ result: OperationResult) {
        switch result {
        case .accepted(let position): self = .accepted(position)
        case .deleted: self = .deleted
        case .refused(let code, let detail): self = .refused(code: code, detail: detail)
        case .unrelated(let detail): self = .unrelated(detail: detail)
        }
    }
}
