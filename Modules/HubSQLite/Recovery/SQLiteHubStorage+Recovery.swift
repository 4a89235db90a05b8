internal import CausewayHubStorage
internal import Dispatch
internal import GRDB
internal import Logging

/// Automatic recovery after the disk or the file failed.
extension SQLiteHubStorage {
    /// Result codes after which the content of the file is unknown.
    private static let failures: [ResultCode] = [
        .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PROTOCOL,
    ]

    static func isFailure(_ error: any Error) -> Bool {
        (error as? DatabaseError).map { failures.contains($0.resultCode) } ?? false
    }

    /// Takes failed connections out of use, and reopens the file in the background until it is verified. Does nothing
    /// when an earlier call did so.
    func recover(from error: HubStorageError, of connections: HubConnections) {
        guard let failed = condition.fail(connections) else { return }
        logger?.critical("storage failed", metadata: ["error": "\(error)"])
        // A disk that hangs blocks the thread.
        Self.blockingQueue.async { [self] in
            failed.close()
            reopen(after: 0)
        }
    }

    /// For work that blocks its thread for an unknown time.
    static let blockingQueue = DispatchQueue(label: "causeway.hub.blocking", attributes: .concurrent)

    private func reopen(after failures: Int) {
        guard !condition.isClosed else { return }
        do {
            try faults?.inject(.reopen)
            let connections = try HubConnections(opening: path)
            do {
                try connections.verify(path: path)
            } catch {
                connections.close()
                throw error
            }
            try beginHistoryIfLost(connections)
            guard condition.reopen(connections) else { return connections.close() }
            logger?.notice("storage recovered", metadata: ["attempts": "\(failures + 1)"])
        } catch {
            let seconds = min(
                SQLiteHubLimits.recoverySecondsMin << min(failures, SQLiteHubLimits.recoveryDoublingsMax),
                SQLiteHubLimits.recoverySecondsMax)
            logger?.error(
                "storage not recovered",
                metadata: ["error": "\(Self.classified(error, path: path))", "nextAttemptSeconds": "\(seconds)"])
            Self.blockingQueue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
                self?.reopen(after: failures + 1)
            }
        }
    }
}
