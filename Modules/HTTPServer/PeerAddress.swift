package import NIOCore

/// Who is at the other end of a connection, as far as attempts are counted.
package enum PeerAddress {
    /// The address without its port; of IPv6 the first 64 bits, which is what one customer gets.
    package static func text(of channel: any Channel) -> String {
        guard let address = channel.remoteAddress else { return "" }
        guard case .v6 = address, let text = address.ipAddress else { return address.ipAddress ?? "" }
        return text.split(separator: ":", omittingEmptySubsequences: false).prefix(4).joined(separator: ":")
    }
}
