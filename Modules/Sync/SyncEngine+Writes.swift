package import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayTransport

/// Writes to records that need the server's word: join a channel, add a member, change a role.
///
/// They are not queued. Each is sent at once, as an operation of a lane of its own in an outbox that lives as long as
/// the engine, one after the other in the order of the calls. Its id is its idempotency key: if a response is lost, the
/// same operation is sent again, and the server answers with the first result.
extension SyncEngine {
    /// Sends a write and waits for the server's result.
    ///
    /// Throws ``SyncError/noSession``, and ``SyncError/transport(_:)``: `refused` with the server's reason;
    /// `unreachable` if the server cannot be reached, in which case nothing was sent; `notSent` if too many writes are
    /// waiting; `inDoubt` if no response came in ``SyncLimits/recordWriteAttemptsMax`` attempts, in which case the
    /// server may have applied it.
    ///
    /// - Returns: the version that the write gave the record, as a position, and the time of its acceptance.
    package func write(_ write: RecordWrite) async throws(SyncError) -> ServerPosition {
        guard let transport, let asked = session?.id else { throw .noSession }
        guard transport.capabilities.records.contains(write.kind) else {
            throw .transport(.noRecords(of: write.kind))
        }
        guard recordWrites.count < SyncLimits.recordWritesMax else {
            throw .transport(
                .notSent(code: "tooManyWrites", detail: "\(SyncLimits.recordWritesMax) writes are waiting already"))
        }
        await takeTurn()
        defer { recordWrites.endTurn() }
        guard session?.id == asked else { throw .noSession }
        do throws(TransportError) {
            return try await deliver(write, as: MessageID(runtime.makeUUIDv7()), over: transport)
        } catch {
            throw .transport(error)
        }
    }

    private func takeTurn() async {
        if recordWrites.beginTurn() { return }
        await withCheckedContinuation { recordWrites.wait($0) }
    }

    private func deliver(
        _ write: RecordWrite, as id: MessageID, over transport: any Transport
    ) async throws(TransportError) -> ServerPosition {
        var lane = recordWrites.lane ?? RecordWriteLane(outbox: OutboxID(runtime.makeUUIDv7()))
        defer { recordWrites.lane = lane }
        var attempts = 0
        while true {
            attempts += 1
            do throws(TransportError) {
                let report = try await transport.deliver(lane.delivery(of: write, as: id, knowing: history))
                guard let outcome = report.outcomes.first else {
                    throw .inDoubt(detail: "the server's report does not fit the delivery")
                }
                if let position = try lane.apply(outcome) { return position }
            } catch {
                guard error.mayHaveApplied, attempts < SyncLimits.recordWriteAttemptsMax else { throw error }
                await runtime.sleep(until: runtime.now + SyncLimits.recordWriteInterval)
            }
            if attempts >= SyncLimits.recordWriteAttemptsMax {
                throw .inDoubt(detail: "the server and this client do not agree on the lane of writes")
            }
        }
    }
}

extension TransportError {
    /// True if the server may have applied what was sent.
    fileprivate var mayHaveApplied: Bool {
        switch self {
        case .inDoubt, .serverFailed: true
        default: false
        }
    }
}
