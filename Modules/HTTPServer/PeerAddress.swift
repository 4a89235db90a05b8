import CausewaySystem
package import NIOCore

/// The identity of a connection's peer, as far as attempts are counted.
package enum PeerAddress {
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
        guard case .v6 = address, let bytes = AddressText.v6Bytes(text) else { return text }
        if bytes.starts(with: mappedPrefix) {
            return bytes.dropFirst(mappedPrefix.count).map { String($0) }.joined(separator: ".")
        }
        let groups = (0..<groupsOfNetwork).map { Int(bytes[2 * $0]) << 8 | Int(bytes[2 * $0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
