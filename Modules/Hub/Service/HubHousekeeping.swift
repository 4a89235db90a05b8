internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import CausewaySystem
internal import Logging

/// Housekeeping after a load.
struct HubHousekeeping: Sendable {
    let storage: any HubStorage
    let logger: Logger

    /// Lets the storage rest and releases memory, once for each load: after a call and then a whole `interval` without
    /// any. Ends when the task is cancelled.
    func run(every interval: Duration) async {
        var seen = storage.activity
        var isAtRest = true
        while (try? await Task.sleep(for: interval)) != nil {
            let now = storage.activity
            if now != seen {
                seen = now
                isAtRest = false
            } else if !isAtRest {
                isAtRest = await rest()
            }
        }
    }

    /// Drops the oldest entries of the log, at the start and after each interval. Ends when the task is cancelled.
    func trimLog(_ retention: LogRetention, every interval: Duration) async {
        repeat {
            do throws(HubStorageError) {
                try await storage.trimLog(retention, at: SystemClock.now())
            } catch {
                logger.debug("log not trimmed", metadata: ["error": "\(error)"])
            }
        } while (try? await Task.sleep(for: interval)) != nil
    }

    /// - Returns: false when a reader of this or another process was in the way; the caller tries again.
    private func rest() async -> Bool {
        let isDone = await storage.rest()
        SystemMemory.giveBackFree()
        logger.debug("at rest", metadata: ["log": isDone ? "emptied" : "held by a reader"])
        return isDone
    }
}
