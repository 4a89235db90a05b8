import Foundation

/// A port of 127.0.0.1 for a server that stops and restarts.
///
/// It is below the system's ephemeral ports, and no other test gets it while this is held
/// (`Tests/System/Browser/world.py` uses the same locks): nothing else listens there in between.
package final class ReservedPort: Sendable {
    /// The error when every port is taken.
    package struct NoneFree: Error {}

    package let number: Int
    /// The descriptor of the lock's file; closing it releases the lock, as does the end of the process.
    private let lock: Int32

    private static let first = 10_000
    private static var folder: String { "/tmp/causeway-test-ports-\(getuid())" }

    package init() throws {
        try FileManager.default.createDirectory(
            atPath: Self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for port in (Self.first..<Self.firstEphemeral).shuffled() {
            guard let lock = Self.take(port) else { continue }
            number = port
            self.lock = lock
            return
        }
        throw NoneFree()
    }

    deinit { close(lock) }

    /// Waits until a server can listen there: one in this process may hold its socket for a moment after its end.
    package func waitUntilFree() async throws {
        try await Eventually.holds("port \(number) is free") { Self.isFree(number) }
    }

    /// The first of the system's ephemeral ports.
    private static var firstEphemeral: Int {
        let text = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
        let found = text?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
        return max(found ?? 32_768, first + 1000)
    }

    private static func take(_ port: Int) -> Int32? {
        let lock = unsafe open("\(folder)/\(port)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { return nil }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0, isFree(port) else {
            close(lock)
            return nil
        }
        return lock
    }

    /// Whether a server could listen there now.
    private static func isFree(_ port: Int) -> Bool {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        var yes: Int32 = 1
        unsafe setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(probe, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
