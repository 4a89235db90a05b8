internal import CausewaySystem
internal import GRDB
internal import Logging

/// Housekeeping after a load.
extension HubStore {
    /// Empties the write-ahead log and releases memory, once for each load: after a write and then a whole `interval`
    /// without activity. Ends when the task is cancelled.
    func keepHouse(every interval: Duration) async {
        var seen = activity
        var isAtRest = true
        while (try? await Task.sleep(for: interval)) != nil {
            let now = activity
            if now != seen {
                seen = now
                isAtRest = false
            } else if !isAtRest {
                isAtRest = await rest()
            }
        }
    }

    /// - Returns: false when a reader of this or another process was in the way; the caller tries again.
    private func rest() async -> Bool {
        let isBlocked = try? await condition.connections?.pool.writeWithoutTransaction { db in
            let isBlocked = try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            try db.execute(sql: "PRAGMA shrink_memory")
            return isBlocked
        }
        condition.connections?.pool.releaseMemory()
        SystemMemory.giveBackFree()
        logger?.debug("at rest", metadata: ["log": isBlocked == false ? "emptied" : "held by a reader"])
        return isBlocked == false
    }
}
