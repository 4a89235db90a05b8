import CausewayHTTPServer

/// An origin as browsers write it (RFC 6454): scheme, host, and the port unless it is the scheme's default.
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    package let isSecure: Bool
    /// The value of `Host`: `status.example:8585`, in lower case.
    package let authority: String

    /// - Returns: `nil` unless the text is exactly `http://HOST[:PORT]` or `https://HOST[:PORT]`.
    package init?(_ text: String) {
        let text = text.lowercased()
        let rest: Substring
        if text.hasPrefix("https://") {
            isSecure = true
            rest = text.dropFirst(8)
        } else if text.hasPrefix("http://") {
            isSecure = false
            rest = text.dropFirst(7)
        } else {
            return nil
        }
        let plain = "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]"
        guard !rest.isEmpty, rest.utf8.count <= 255, rest.allSatisfy(plain.contains) else { return nil }
        var authority = String(rest)
        let ownPort = isSecure ? ":443" : ":80"
        if authority.hasSuffix(ownPort) { authority.removeLast(ownPort.count) }
        guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.hasSuffix(":") else { return nil }
        self.authority = authority
    }

    init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        let host = host.contains(":") ? "[\(host)]" : host
        authority = port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    package var description: String { (isSecure ? "https://" : "http://") + authority }

    /// The port, if it is written out.
    var port: Int? {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return nil }
        return Int(authority[authority.index(after: colon)...])
    }

    package var isLoopback: Bool {
        var host = authority
        if let end = host.lastIndex(of: ":"), !host.hasSuffix("]") { host = String(host[..<end]) }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return ListenAddress.isLoopback(host)
    }
}

/// The accepted host names of the page, and the origin of each.
///
/// A page of another site whose name resolves to this address (DNS rebinding) sends its own name as `Host`, and an
/// `Origin` that matches it: only a list of names tells them apart.
struct AllowedHosts: Sendable {
    private let origins: [String: WebOrigin]

    /// - Parameter port: the port that the page actually listens on.
    init(_ configuration: StatusPageConfiguration, port: Int) {
        var all = configuration.origins
        if configuration.listen.isLoopback {
            let isSecure = configuration.identity != nil
            for host in ["127.0.0.1", "localhost", "::1", configuration.listen.host] {
                all.append(WebOrigin(isSecure: isSecure, host: host, port: port))
            }
        }
        origins = Dictionary(all.map { ($0.authority, $0) }) { first, _ in first }
    }

    /// Returns the origin of a request with this `Host`; `nil` when the name is not accepted.
    func origin(host: String?) -> WebOrigin? { host.flatMap { origins[$0.lowercased()] } }
}
