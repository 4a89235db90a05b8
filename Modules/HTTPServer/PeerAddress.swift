package import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The identity of a connection's peer, as far as attempts are counted.
package enum PeerAddress {
    private static let addressBytes = 16
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let groupsOfNetwork = 4

    /// The key under which a connection's attempts are counted.
    package static func text(of channel: any Channel) -> String { channel.remoteAddress.map(text) ?? "" }

    /// Returns the address without its port; of IPv6 the first 64 bits, which is the allocation of one customer. An
    /// IPv4 address mapped into IPv6 is IPv4.
    ///
    /// Uses the bytes, because the text of an address omits zeros at varying places.
    package static func text(of address: SocketAddress) -> String {
        guard let text = address.ipAddress else { return "" }
        var bytes = [UInt8](repeating: 0, count: addressBytes)
        guard case .v6 = address, unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return text }
        if bytes.starts(with: mappedPrefix) {
            return bytes.dropFirst(mappedPrefix.count).map { String($0) }.joined(separator: ".")
        }
        let groups = (0..<groupsOfNetwork).map { Int(bytes[2 * $0]) << 8 | Int(bytes[2 * $0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
