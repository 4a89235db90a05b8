/// The address that a server listens on: `HOST:PORT`, with an IPv6 address in brackets.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, without brackets.
    package let host: String
    /// 0 lets the system choose.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The reason why a text is not an address, as the end of a sentence that begins with the text.
    package enum Problem: Error, Sendable, Hashable {
        case malformed, noHost
    }

    package init(_ text: String) throws(Problem) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { throw .malformed }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { throw .noHost }
        self.init(host: String(host), port: port)
    }

    /// True when only this machine can reach the address.
    package var isLoopback: Bool { Self.isLoopback(host) }

    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
