import CausewayModels
import Foundation
import GRDB

/// GRDB's `ValueObservation` of the newest messages of some channels, and a writer to the same pool.
@MainActor final class ValueCrowd {
    private let filled: FilledStore
    private let pool: DatabasePool
    private var observations: [AnyDatabaseCancellable] = []
    private var waiting: Set<Int> = []
    private var failure: (any Error)?
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ filled: FilledStore) throws {
        self.filled = filled
        pool = try DatabasePool(path: filled.database)
    }

    /// Returns when every observation has fetched.
    func observe(_ channels: Int) async throws {
        waiting = Set(0..<channels)
        for channel in 0..<channels {
            let request = WindowRow.newest(in: filled.channels[channel], limit: Crowd.rows)
            observations.append(
                ValueObservation.tracking { db in try request.fetchAll(db) }
                    .start(
                        in: pool, onError: { [weak self] in self?.fail($0) },
                        onChange: { [weak self] _ in self?.receive(channel) }))
        }
        while !waiting.isEmpty {
            await withCheckedContinuation { waiter = $0 }
            if let failure { throw failure }
        }
    }

    private func receive(_ channel: Int) {
        waiting.remove(channel)
        waiter.take()?.resume()
    }

    private func fail(_ error: any Error) {
        failure = error
        waiter.take()?.resume()
    }

    /// Edits messages one after the other, each in a commit of its own.
    ///
    /// - Returns: commits per second.
    func rate(_ changes: Int) async throws -> Double {
        let time = try await ContinuousClock().measure {
            for number in 0..<changes {
                let (place, channel) = number.quotientAndRemainder(dividingBy: filled.channels.count)
                let id = filled.id(filled.messagesPerChannel - 1 - place % Crowd.rows, in: channel).value.bytes
                try await pool.write { db in
                    try db.cachedStatement(sql: "UPDATE message SET attempts = attempts + 1 WHERE id = ?")
                        .execute(arguments: [Data(id)])
                }
            }
        }
        return Double(changes) / time.seconds
    }

    func unobserve() {
        for observation in observations { observation.cancel() }
        observations = []
    }

    func close() throws {
        unobserve()
        try pool.close()
    }
}
