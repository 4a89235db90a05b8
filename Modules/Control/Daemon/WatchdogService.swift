import ServiceLifecycle

/// Reports to the service manager that the daemon is alive, but only while its engine and store respond.
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
