import ServiceLifecycle

/// Reports to the service manager that the daemon is alive, but only while its engine and store respond.
struct WatchdogService: Service {
    let notifier: SystemdNotifier
    let service: any ControlService

    func run() async throws {
        guard let interval = notifier.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if (try? await service.status()) != nil { notifier.notify("WATCHDOG=1") }
                try await Task.sleep(for: interval / 2)
            }
        }
    }
}
