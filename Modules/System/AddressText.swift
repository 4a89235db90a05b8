#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Internet addresses as text.
package enum AddressText {
    /// True for an IPv4 or IPv6 address.
    package static func isAddress(_ text: String) -> Bool {
        var v4 = in_addr()
        return unsafe inet_pton(AF_INET, text, &v4) == 1 || v6Bytes(text) != nil
    }

    /// The 16 bytes of an IPv6 address; `nil` for any other text.
    package static func v6Bytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        return unsafe inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
