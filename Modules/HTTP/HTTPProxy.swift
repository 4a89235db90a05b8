import Foundation

/// An HTTP proxy: used for `https` by CONNECT, for `http` by requests in absolute form. The connection to the proxy
/// itself is plain TCP.
///
/// The password is never printed: every description of a proxy contains only host and port.
package struct HTTPProxy: Sendable, Hashable {
    package let host: String
    package let port: Int
    /// The value of `Proxy-Authorization`. A secret.
    let authorization: String?

    /// - Parameters:
    ///   - user, password: sent as Basic credentials (RFC 7617) if there is a user.
    package init(
        host: String, port: Int, user: String? = nil, password: String? = nil
    ) throws(HTTPProxyError) {
        guard HTTPSyntax.isHost(host), (1...65535).contains(port) else { throw .badAddress }
        self.host = host
        self.port = port
        guard let user else {
            authorization = nil
            return
        }
        guard !user.contains(":") else { throw .badUser }
        authorization = "Basic " + Data("\(user):\(password ?? "")".utf8).base64EncodedString()
    }

    /// Parses `http://[user[:password]@]host[:port]`; the scheme may be missing, the port is 80 by default, as for
    /// `http:` everywhere. User and password are percent-decoded.
    package init(url: String) throws(HTTPProxyError) {
        let text = url.contains("://") ? url : "http://" + url
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false) else { throw .notAURL }
        guard parts.scheme?.lowercased() == "http" else { throw .unsupportedScheme(parts.scheme ?? "") }
        guard var host = parts.host, !host.isEmpty else { throw .badAddress }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        try self.init(host: host, port: parts.port ?? 80, user: parts.user, password: parts.password)
    }
}

extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(HTTPSyntax.bracketed(host)):\(port)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}

/// The reason why a text is not a proxy. Never repeats the text, which may contain a password.
package enum HTTPProxyError: Error, Sendable, Hashable {
    case notAURL
    case badAddress
    case badUser
    case unsupportedScheme(String)
    /// The same, with the environment variable that contains it.
    indirect case inVariable(String, HTTPProxyError)
}

extension HTTPProxyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAURL: "the proxy is not a URL; write http://host:port"
        case .badAddress: "the proxy's host or port is not valid; write http://host:port"
        case .badUser: "the proxy's user must not contain a colon"
        case .unsupportedScheme(let scheme): "'\(scheme):' proxies are not supported; use an http: proxy"
        case .inVariable(let name, let error): "\(name): \(error)"
        }
    }
}
