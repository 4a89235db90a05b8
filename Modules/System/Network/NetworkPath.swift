#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The machine's ways into networks, as the kernel lists them: addresses of interfaces that are up, and default routes.
///
/// Two equal paths mean that nothing has changed that a connection depends on. Loopback and link-local addresses are
/// left out: they lead nowhere.
package struct NetworkPath: Sendable, Hashable {
    /// Interface and address: `eth0 192.0.2.7`.
    package var addresses: Set<String>
    /// Default routes, in the kernel's own words; empty where the system does not list them as text.
    package var routes: Set<String>

    package init(addresses: Set<String> = [], routes: Set<String> = []) {
        self.addresses = addresses
        self.routes = routes
    }

    /// True if another machine may be reachable.
    package var isAvailable: Bool { !addresses.isEmpty }

    /// Reads the present path. Cost: some system calls, linear in the interfaces.
    package static func current() -> NetworkPath {
        NetworkPath(addresses: currentAddresses(), routes: currentRoutes())
    }

    private static func currentAddresses() -> Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var found: Set<String> = []
        var next = unsafe first
        while let entry = unsafe next {
            defer { unsafe next = entry.pointee.ifa_next }
            let flags = unsafe Int32(truncatingIfNeeded: entry.pointee.ifa_flags)
            guard flags & upAndRunning == upAndRunning, flags & loopback == 0,
                let address = unsafe entry.pointee.ifa_addr, let name = unsafe entry.pointee.ifa_name,
                let text = unsafe text(of: address)
            else { continue }
            found.insert("\(unsafe String(cString: name)) \(text)")
        }
        return found
    }

    private static let upAndRunning = Int32(IFF_UP) | Int32(IFF_RUNNING)
    private static let loopback = Int32(IFF_LOOPBACK)

    /// `nil` for an address that is none of the Internet's, or link-local.
    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        let size: Int
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            unsafe getnameinfo(
                address, socklen_t(size), &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("fe80:") || text.hasPrefix("169.254.") ? nil : text
    }

    /// The lines of the kernel's tables that describe default routes, without counters.
    private static func currentRoutes() -> Set<String> {
        var routes: Set<String> = []
        for line in lines(of: "/proc/net/route") {
            // Interface, destination, gateway, flags.
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count > 3, fields[1] == "00000000" else { continue }
            routes.insert(fields[0...3].joined(separator: " "))
        }
        for line in lines(of: "/proc/net/ipv6_route") {
            // Destination, its length, source, its length, the next hop, …, the interface.
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count > 9, fields[1] == "00", fields[9] != "lo" else { continue }
            routes.insert("\(fields[9]) \(fields[4])")
        }
        return routes
    }

    private static let tableBytesMax = 64 * 1024

    private static func lines(of path: String) -> [Substring] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: tableBytesMax)
        var count = 0
        while count < bytes.count {
            let part = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
            }
            guard part > 0 else { break }
            count += part
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    }
}
