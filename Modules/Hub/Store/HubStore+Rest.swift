internal import CausewayHTTPServer
internal import GRDB

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
                isAtRest = true
                await rest()
            }
        }
    }

    private func rest() async {
        // Readers that are in the way only put it off until the next load.
        _ = try? await condition.connections?.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            try db.execute(sql: "PRAGMA shrink_memory")
        }
        condition.connections?.pool.releaseMemory()
        SystemMemory.giveBackFree()
    }
}
