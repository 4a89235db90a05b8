import CausewayControlAPI
import CausewaySystem
import Foundation
import ServiceLifecycle

/// Notifies the service manager as described in `sd_notify(3)`: datagrams to the socket that `NOTIFY_SOCKET` names.
struct SystemdNotifier: Sendable {
    private let socketPath: String?
    /// How often the service manager expects a keep-alive; `nil` when it expects none.
    let watchdogInterval: Duration?

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isMeant =
            environment["WATCHDOG_PID"].map { $0 == String(ProcessInfo.processInfo.processIdentifier) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends one message. Does nothing without a service manager; a manager that is not listening is ignored.
    func notify(_ message: String) {
        guard let socketPath else { return }
        UnixSocket.send(message, to: socketPath)
    }
}

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
