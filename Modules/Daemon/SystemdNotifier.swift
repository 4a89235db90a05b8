import CausewayControlAPI
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Notifies the service manager as described in `sd_notify(3)`: datagrams to the socket that `NOTIFY_SOCKET` names.
struct SystemdNotifier: Sendable {
    private let socketPath: String?
    /// How often the service manager expects a keep-alive; `nil` when it expects none.
    let watchdogInterval: Duration?

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends one message. Does nothing without a service manager; a manager that is not listening is ignored.
    func notify(_ message: String) {
        guard let socketPath else { return }
        var name = Array(socketPath.utf8)
        // An abstract socket: its name begins with a zero byte.
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        var address = sockaddr_un()
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
        let bytes = Array(message.utf8)
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, size)
            }
        }
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
