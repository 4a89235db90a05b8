internal import CausewaySystem
internal import GRDB
internal import Logging

/// Coming to rest after a load.
extension HubStore {
    /// Empties the write-ahead log and gives memory back, once for each load: when something was written and then
    /// nothing for a whole `interval`. Ends when the task is cancelled.
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

    /// - Returns: false when a reader was in the way, of this process or of another: it is tried again.
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
