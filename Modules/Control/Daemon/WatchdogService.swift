import ServiceLifecycle

/// Tells the supervisor that the daemon lives, but only while its engine and store answer.
struct WatchdogService: Service {
    let supervisor: Supervisor
    let service: any ControlService

    func run() async throws {
        guard let interval = supervisor.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if (try? await service.status()) != nil { supervisor.tell("WATCHDOG=1") }
                try await Task.sleep(for: interval / 2)
            }
        }
    }
}
