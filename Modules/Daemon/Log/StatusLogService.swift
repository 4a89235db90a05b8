import Causeway
import Logging
import ServiceLifecycle

/// Logs the connection, pauses, required actions and disk trouble: the state at the start, then each change once.
///
/// ``DeliveryLogService`` logs sessions and failed deliveries.
struct StatusLogService: Service {
    let changes: StatusChanges
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { await changes.log(StatusLog(includesCommits: false), to: logger) }
    }
}
