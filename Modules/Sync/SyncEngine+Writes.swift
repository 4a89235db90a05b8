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
    /// Throws ``SyncError/noSession``, ``SyncError/closed``, and ``SyncError/transport(_:)``: `refused` with the
    /// server's reason; `unreachable` if the server cannot be reached, in which case nothing was sent; `notSent` if too
    /// many writes are waiting; `inDoubt` if a response was lost and none came in
    /// ``SyncLimits/recordWriteAttemptsMax`` attempts, in which case the server may have applied it. A token that is
    /// renewed meanwhile ends no write, nor does a server that was started again.
    ///
    /// - Returns: the version that the write gave the record, as a position, and the time of its acceptance.
    package func write(_ write: RecordWrite) async throws(SyncError) -> ServerPosition {
        let (transport, asked) = try connected()
        guard transport.capabilities.records.contains(write.kind) else {
            throw .transport(.noRecords(of: write.kind))
        }
        guard recordWrites.count < SyncLimits.recordWritesMax else {
            throw .transport(
                .notSent(code: "tooManyWrites", detail: "\(SyncLimits.recordWritesMax) writes are waiting already"))
        }
        await takeTurn()
        defer { recordWrites.endTurn() }
        return try await deliver(write, as: MessageID(runtime.makeUUIDv7()), in: asked)
    }

    private func takeTurn() async {
        if recordWrites.beginTurn() { return }
        await withCheckedContinuation { recordWrites.wait($0) }
    }

    private func deliver(
        _ write: RecordWrite, as id: MessageID, in asked: SessionID
    ) async throws(SyncError) -> ServerPosition {
        var lane = recordWrites.lane ?? RecordWriteLane(outbox: OutboxID(runtime.makeUUIDv7()))
        defer { recordWrites.lane = lane }
        // Once a response was lost, no later error proves that the server has not applied the write; its verdict does.
        var doubt: TransportError?
        for attempt in 1...SyncLimits.recordWriteAttemptsMax {
            guard !isClosed, session?.id == asked, let transport else {
                throw doubt.map { .transport($0) } ?? (isClosed ? .closed : .noSession)
            }
            let number = transportNumber
            var isVerdict = false
            do throws(TransportError) {
                let report = try await transport.deliver(lane.delivery(of: write, as: id, knowing: history))
                guard let outcome = report.outcomes.first, outcome.isInRange else {
                    throw .inDoubt(detail: "the server's report does not fit the delivery")
                }
                isVerdict = true
                if let position = try lane.apply(outcome) { return position }
            } catch .refused(let code, let detail) where isVerdict || doubt == nil {
                throw .transport(.refused(code: code, detail: detail))
            } catch {
                if error.mayHaveApplied { doubt = error }
                // The server was started again, or its data were replaced: a probe learns which, and nothing was
                // applied.
                if error.isOfOtherOpening { submit(.event(.probeRequested)) }
                // The connection of a token that was renewed meanwhile is closed with all its calls.
                let isRepeated = doubt != nil || number != transportNumber || error.isOfOtherOpening
                guard isRepeated, attempt < SyncLimits.recordWriteAttemptsMax, !isClosed else {
                    throw doubt.map { .transport($0) } ?? cause(of: error, in: asked)
                }
                await runtime.sleep(until: runtime.now + SyncLimits.recordWriteInterval)
            }
        }
        throw .transport(.inDoubt(detail: "the server and this client do not agree on the lane of writes"))
    }
}

extension TransportError {
    /// True if the delivery was meant for another opening, or for other data, of the server.
    fileprivate var isOfOtherOpening: Bool {
        if case .historyChanged = self { true } else { false }
    }

    /// True if the server may have applied what was sent.
    fileprivate var mayHaveApplied: Bool {
        switch self {
        case .inDoubt, .serverFailed: true
        default: false
        }
    }
}
