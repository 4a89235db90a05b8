package import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Who is at the other end of a connection, as far as attempts are counted.
package enum PeerAddress {
    private static let addressBytes = 16
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let groupsOfNetwork = 4

    /// What a connection's attempts are counted under.
    package static func text(of channel: any Channel) -> String { channel.remoteAddress.map(text) ?? "" }

    /// The address without its port; of IPv6 the first 64 bits, which is what one customer gets. An IPv4 address that
    /// came mapped into IPv6 is IPv4.
    ///
    /// By the bytes: the text of an address leaves zeros out, wherever they stand.
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
