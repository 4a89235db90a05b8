import CausewayModels
import CausewayRuntime
import CausewayTransport

/// One run of a rule: the server, and the makings of deliveries to it.
struct Trial: Sendable {
    let server: any ConformanceServer
    let runtime: any Runtime
    let patience: Duration
    private let outbox: OutboxID

    init(server: any ConformanceServer, harness: TransportHarness) {
        self.server = server
        runtime = harness.runtime
        patience = harness.patience
        outbox = OutboxID(harness.runtime.makeUUIDv7())
    }

    func isOf(_ kind: TransportConformance.Rule.OrderingKind) async throws -> Bool {
        if kind == .any { return true }
        return try await with(.working) { transport in
            switch transport.capabilities.ordering {
            case .sequenced: kind == .sequenced
            case .idempotent: kind == .idempotent
            }
        }
    }

    /// Runs `body` with a transport, and closes it.
    func with<Result: Sendable>(
        _ kind: ConformanceTransport = .working, _ body: (any Transport) async throws -> Result
    ) async throws -> Result {
        let transport = try await server.makeTransport(kind)
        do {
            let result = try await body(transport)
            await transport.close()
            return result
        } catch {
            await transport.close()
            throw error
        }
    }

    // MARK: - Deliveries

    func messages(_ count: Int) -> [MessageID] { (0..<count).map { _ in MessageID(runtime.makeUUIDv7()) } }

    func send(_ id: MessageID, to channel: ChannelID? = nil) -> DeliveryOperation.Body {
        .send(id, channel: channel ?? server.channel, content: .text("text of \(id)"), createdAt: runtime.wallClock)
    }

    /// The operations with consecutive sequences.
    func chain(_ bodies: [DeliveryOperation.Body], from first: Int64 = 1) -> [DeliveryOperation] {
        bodies.enumerated().map { index, body in
            let sequence = first + Int64(index)
            return DeliveryOperation(sequence: sequence, previous: sequence - 1, body: body)
        }
    }

    func delivery(_ operations: [DeliveryOperation], lane: LaneID = .text) -> Delivery {
        Delivery(outbox: outbox, epoch: 1, lane: lane, operations: operations)
    }

    /// Delivers the operations in batches of the size that the transport allows, and checks each report.
    func deliver(
        _ operations: [DeliveryOperation], lane: LaneID = .text, over transport: any Transport
    ) async throws -> [DeliveryOutcome] {
        var outcomes: [DeliveryOutcome] = []
        let size = max(1, transport.capabilities.batchOperationsMax)
        for start in stride(from: 0, to: operations.count, by: size) {
            let batch = Array(operations[start..<min(start + size, operations.count)])
            let report = try await transport.deliver(delivery(batch, lane: lane))
            try requireEqual(report.outcomes.count, batch.count, "the number of outcomes")
            outcomes += report.outcomes
        }
        return outcomes
    }

    // MARK: - Errors

    /// The error of a call that must fail.
    func error(
        of call: (any Transport) async throws(TransportError) -> Void, over transport: any Transport,
        _ what: String, file: String = #fileID, line: Int = #line
    ) async throws(ConformanceFailure) -> TransportError {
        do throws(TransportError) {
            try await call(transport)
        } catch {
            try requireSafe(error, file: file, line: line)
            return error
        }
        throw ConformanceFailure("\(what) did not fail", file: file, line: line)
    }

    /// The error of a delivery of one message that must fail.
    func error(
        ofDelivering id: MessageID, over transport: any Transport, file: String = #fileID, line: Int = #line
    ) async throws(ConformanceFailure) -> TransportError {
        let delivery = delivery(chain([send(id)]))
        return try await error(
            of: { transport throws(TransportError) in _ = try await transport.deliver(delivery) }, over: transport,
            "the delivery", file: file, line: line)
    }

    /// Throws if an error contains the token.
    func requireSafe(
        _ error: TransportError, file: String = #fileID, line: Int = #line
    ) throws(ConformanceFailure) {
        let texts = [error.description, String(reflecting: error)]
        try require(
            !texts.contains { $0.contains(server.token.text) }, "an error contains the token", file: file, line: line)
    }
}

extension [DeliveryOutcome] {
    /// The positions of accepted operations.
    var positions: [Int64] {
        compactMap { if case .accepted(let position) = $0 { position.position } else { nil } }
    }
}
