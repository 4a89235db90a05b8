import Causeway
import Logging
import ServiceLifecycle

/// Logs the connection, pauses, required actions and disk trouble: the state at the start, then each change once.
///
/// A state that lasts less than a tenth of a second may be missing. ``DeliveryLogService`` logs sessions and failed
/// deliveries.
struct StatusLogService: Service {
    let changes: StatusChanges
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { await changes.log(to: logger, includesCommits: false) }
    }
}
