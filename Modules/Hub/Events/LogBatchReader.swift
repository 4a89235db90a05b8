internal import CausewayHubRules
package import CausewayHubStorage
internal import Synchronization

/// Reads the log in batches: after a commit, all readers of a channel read at the same moment, and most of what they
/// read is the same.
///
/// A query waits for a batch that begins after it. Few batches are read at a time; a batch ends with the query with
/// which it may return the bytes of a page. Accounts take turns. A query that cannot be read fails alone.
package final class LogBatchReader: Sendable {
    package typealias Read = @Sendable ([LogQuery]) async throws(HubStorageError) -> [LogReading]

    private final class Waiting: Sendable {
        let query: LogQuery
        let lease: ByteLease
        let continuation: CheckedContinuation<LogReading, any Error>

        init(_ query: LogQuery, _ lease: ByteLease, _ continuation: CheckedContinuation<LogReading, any Error>) {
            self.query = query
            self.lease = lease
            self.continuation = continuation
        }
    }

    private struct State {
        var waiting = FairQueue<Int64, Waiting>()
        var batches = 0
    }

    private let readAll: Read
    private let state = Mutex(State())

    /// - Parameter readAll: ``EventStorage/log(_:)`` of a storage.
    package init(_ readAll: @escaping Read) { self.readAll = readAll }

    /// The number of queries that wait for a batch.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Reads when it is the account's turn. Is not cancelled: it waits only for the storage.
    ///
    /// - Parameter lease: counts the bytes of the reading, from the moment at which there can be some.
    /// - Throws: 503 `busy` if there is no room for these, or too many queries of the account wait; errors of the
    ///   storage.
    package func read(
        _ query: LogQuery, for account: HubAccount, holding lease: ByteLease
    ) async throws -> LogReading {
        try await withCheckedThrowingContinuation { continuation in
            let begins: Bool? = state.withLock { state in
                guard state.waiting.count(of: account.number) < HubLimits.waitingPerAccountMax else { return nil }
                state.waiting.append(Waiting(query, lease, continuation), of: account.number)
                guard state.batches < HubLimits.logBatchesMax else { return false }
                state.batches += 1
                return true
            }
            guard let begins else { return continuation.resume(throwing: HubHTTPError.busy) }
            // Not in the task of a reader, whose end would cancel what others wait for, and which would keep the memory
            // that reading needs. Ends when nothing waits.
            if begins { Task { await readBatches() } }
        }
    }

    private func readBatches() async {
        while let batch = nextBatch() { await read(batch) }
    }

    /// - Returns: `nil`, which ends a series of batches, when nothing waits.
    private func nextBatch() -> [Waiting]? {
        state.withLock { state in
            var batch: [Waiting] = []
            var bytes = 0
            while bytes < HubLimits.pageBytesMax, let next = state.waiting.popFirst() {
                batch.append(next)
                bytes += next.query.limit.contentBytes
            }
            guard batch.isEmpty else { return batch }
            state.batches -= 1
            return nil
        }
    }

    private func read(_ batch: [Waiting]) async {
        let admitted = batch.filter { waiting in
            do {
                try waiting.lease.add(waiting.query.limit.contentBytes)
                return true
            } catch {
                waiting.continuation.resume(throwing: error)
                return false
            }
        }
        guard !admitted.isEmpty else { return }
        do {
            let readings = try await readAll(admitted.map(\.query))
            for (waiting, reading) in zip(admitted, readings) { Self.finish(waiting, .success(reading)) }
        } catch {
            guard admitted.count > 1 else { return Self.finish(admitted[0], .failure(error)) }
            for waiting in admitted {
                do throws(HubStorageError) {
                    Self.finish(waiting, .success(try await readAll([waiting.query])[0]))
                } catch {
                    Self.finish(waiting, .failure(error))
                }
            }
        }
    }

    private static func finish(_ waiting: Waiting, _ result: Result<LogReading, any Error>) {
        let bytes: Int
        if case .success(.page(let page)) = result { bytes = page.eventBytes } else { bytes = 0 }
        waiting.lease.correct(to: bytes)
        waiting.continuation.resume(with: result)
    }
}
