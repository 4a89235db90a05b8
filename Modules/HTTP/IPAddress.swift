import Foundation

/// An IP address as its bytes: 4 or 16 of them. An IPv4 address mapped into IPv6 is treated as IPv4.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// `nil` if the text is not an IP address, so that it is a name.
    init?(_ text: String) {
        var v4 = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            bytes = v4
            return
        }
        var v6 = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
        bytes = Array(v6.prefix(12)) == mapped ? Array(v6.suffix(4)) : v6
    }

    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether the first `bits` bits of both are equal. Addresses of different families never match.
    func matches(_ network: IPAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count, bits <= bytes.count * 8 else { return false }
        let whole = bits / 8
        guard bytes.prefix(whole) == network.bytes.prefix(whole) else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xff00 >> rest)
        return bytes[whole] & mask == network.bytes[whole] & mask
    }
}
