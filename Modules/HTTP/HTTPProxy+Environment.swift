extension HTTPProxy {
    /// The proxy that the environment names for this endpoint, or `nil` for a direct connection.
    ///
    /// - `https_proxy` for TLS, `http_proxy` without, then `all_proxy` for both; the lower-case name takes precedence
    ///   over the upper-case one, and an empty value means none.
    /// - `HTTP_PROXY` is ignored if `REQUEST_METHOD` is set: in a CGI program it is a field of a client's request
    ///   (CVE-2016-5385, "httpoxy").
    /// - `no_proxy` names hosts that are reached directly; see ``HTTPProxyBypass``.
    /// - Loopback hosts and Unix sockets never use a proxy.
    ///
    /// - Parameter environment: the variables by name.
    /// - Throws: ``HTTPProxyError`` if the applicable variable does not name a proxy; a direct connection instead would
    ///   disclose to the network data that was meant for the proxy.
    package static func fromEnvironment(
        _ environment: [String: String], for endpoint: HTTPEndpoint
    ) throws(HTTPProxyError) -> HTTPProxy? {
        guard case .tcp(let host, let port, let tls) = endpoint.address, !endpoint.isLoopback else { return nil }
        let isCGI = environment["REQUEST_METHOD"] != nil
        var names = tls ? ["https_proxy", "HTTPS_PROXY"] : isCGI ? ["http_proxy"] : ["http_proxy", "HTTP_PROXY"]
        names += ["all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { environment[$0] != nil }) else { return nil }
        let value = environment[name].map(trimmed) ?? ""
        guard !value.isEmpty else { return nil }

        let bypass = HTTPProxyBypass(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
        if bypass.covers(host: host, port: port) { return nil }
        do {
            return try HTTPProxy(url: value)
        } catch {
            throw .inVariable(name, error)
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// The hosts that `NO_PROXY` excludes from the proxy: rules separated by commas or blanks.
///
/// | rule | covers |
/// | --- | --- |
/// | `*` | everything |
/// | `example.org` | that name and every name below it |
/// | `.example.org`, `*.example.org` | every name below it, not itself |
/// | `10.1.2.3`, `::1`, `[::1]` | that address |
/// | `10.0.0.0/8`, `fd00::/8` | every address of that network |
/// | any of the above except a network, with `:port` | the same, on that port only |
///
/// Names are not resolved for this. A rule of any other form covers nothing.
package struct HTTPProxyBypass: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case everything
        case name(String, port: Int?)
        case below(String, port: Int?)
        case address(IPAddress, port: Int?)
        case network(IPAddress, bits: Int)
    }

    private let rules: [Rule]

    package init(_ text: String) {
        rules = text.split { $0 == "," || $0.isWhitespace }.compactMap { Self.rule(String($0).lowercased()) }
    }

    package func covers(host: String, port: Int) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        let address = IPAddress(name)
        return rules.contains { rule in
            switch rule {
            case .everything:
                true
            case .name(let suffix, let wanted):
                address == nil && (name == suffix || name.hasSuffix("." + suffix)) && (wanted ?? port) == port
            case .below(let suffix, let wanted):
                address == nil && name.hasSuffix("." + suffix) && (wanted ?? port) == port
            case .address(let wantedAddress, let wanted):
                address == wantedAddress && (wanted ?? port) == port
            case .network(let network, let bits):
                address?.matches(network, bits: bits) ?? false
            }
        }
    }

    private static func rule(_ text: String) -> Rule? {
        if text == "*" { return .everything }
        if let slash = text.lastIndex(of: "/") {
            guard let network = IPAddress(String(text[..<slash])), let bits = Int(text[text.index(after: slash)...]),
                (0...network.bytes.count * 8).contains(bits)
            else { return nil }
            return .network(network, bits: bits)
        }
        guard let (host, port) = split(text) else { return nil }
        if let address = IPAddress(host) { return .address(address, port: port) }
        var name = host
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("*.") || name.hasPrefix(".") {
            let suffix = String(name.drop { $0 == "*" || $0 == "." })
            return suffix.isEmpty ? nil : .below(suffix, port: port)
        }
        return name.isEmpty ? nil : .name(name, port: port)
    }

    /// Splits off a port, if there is one; `nil` if the text after the colon is not a port.
    private static func split(_ text: String) -> (host: String, port: Int?)? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()) else { return nil }
            return (host, port)
        }
        if IPAddress(text) != nil { return (text, nil) }
        guard let colon = text.lastIndex(of: ":") else { return (text, nil) }
        guard let port = Int(text[text.index(after: colon)...]) else { return nil }
        return (String(text[..<colon]), port)
    }
}
