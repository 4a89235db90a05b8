import Foundation
import NIOCore

/// The target of requests: a TCP host and port, with or without TLS, or a Unix socket; and the base path that every
/// request path is appended to.
///
/// An endpoint never contains credentials: a URL with a user part is refused, because URLs end up in logs.
package struct HTTPEndpoint: Sendable, Hashable {
    package enum Address: Sendable, Hashable {
        /// - Parameters:
        ///   - host: a name or an IP address; IPv6 without brackets.
        ///   - tls: whether the connection is TLS, and so whether the scheme is `https`.
        case tcp(host: String, port: Int, tls: Bool)
        /// A stream socket in the file system. Never TLS, never through a proxy.
        case unix(path: String)
    }

    package let address: Address

    /// Empty, or a path that begins with `/` and does not end with one.
    package let basePath: String

    /// The name of a Unix socket in the `Host` field.
    private let socketHost: String

    private init(address: Address, basePath: String, socketHost: String = "localhost") {
        self.address = address
        self.basePath = basePath
        self.socketHost = socketHost
    }

    /// - Throws: ``HTTPEndpointError`` if the host, the port (1 to 65535) or the base path could not be part of a
    ///   request.
    package static func tcp(
        host: String, port: Int, tls: Bool, basePath: String = ""
    ) throws(HTTPEndpointError) -> HTTPEndpoint {
        var bare = host
        if bare.hasPrefix("["), bare.hasSuffix("]") {
            bare = String(bare.dropFirst().dropLast())
        }
        guard HTTPSyntax.isHost(bare) else { throw .badHost(host) }
        guard (1...65535).contains(port) else { throw .badPort(port) }
        return HTTPEndpoint(
            address: .tcp(host: bare.lowercased(), port: port, tls: tls), basePath: try normalized(basePath))
    }

    /// - Parameter host: the value of the `Host` field, for a server that accepts only one name.
    /// - Throws: ``HTTPEndpointError`` if the path is empty, or the host or base path could not be part of a request.
    package static func unix(
        path: String, host: String = "localhost", basePath: String = ""
    ) throws(HTTPEndpointError) -> HTTPEndpoint {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .badSocketPath }
        guard HTTPSyntax.isHost(host) else { throw .badHost(host) }
        return HTTPEndpoint(address: .unix(path: path), basePath: try normalized(basePath), socketHost: host)
    }

    /// Parses `https://host[:port][/base]`, `http://…` or `unix:/path/to/socket`.
    ///
    /// - Throws: ``HTTPEndpointError`` if the text has none of these forms, or contains a user, a query or a fragment.
    package init(url: String) throws(HTTPEndpointError) {
        if url.lowercased().hasPrefix("unix:") {
            var path = String(url.dropFirst("unix:".count))
            if path.hasPrefix("//") { path.removeFirst(2) }
            self = try .unix(path: path)
            return
        }
        guard let parts = URLComponents(string: url, encodingInvalidCharacters: false) else { throw .notAURL }
        guard parts.user == nil, parts.password == nil else { throw .carriesCredentials }
        guard parts.query == nil, parts.fragment == nil else { throw .carriesQuery }
        let tls: Bool
        switch parts.scheme?.lowercased() {
        case "https": tls = true
        case "http": tls = false
        case let other: throw .unknownScheme(other ?? "")
        }
        guard let host = parts.host, !host.isEmpty else { throw .badHost("") }
        self = try .tcp(host: host, port: parts.port ?? (tls ? 443 : 80), tls: tls, basePath: parts.percentEncodedPath)
    }

    private static func normalized(_ basePath: String) throws(HTTPEndpointError) -> String {
        var path = basePath
        while path.hasSuffix("/") { path.removeLast() }
        guard path.isEmpty || HTTPSyntax.isRequestPath(path), !path.contains("?") else { throw .badBasePath }
        return path
    }
}

extension HTTPEndpoint {
    /// Whether the connection is TLS.
    package var isTLS: Bool {
        if case .tcp(_, _, let tls) = address { return tls }
        return false
    }

    /// Whether all data remains on this machine: a Unix socket, `localhost`, or a loopback address.
    package var isLoopback: Bool {
        switch address {
        case .unix: true
        case .tcp(let host, _, _): HTTPSyntax.isLoopback(host)
        }
    }

    /// The value of the `Host` field: the port is included only if it is not the scheme's default. For a Unix socket
    /// `localhost` or the given name, so that a server can distinguish this client from a browser that was directed to
    /// it under another name.
    package var authority: String {
        switch address {
        case .unix:
            return socketHost
        case .tcp(let host, let port, let tls):
            let name = HTTPSyntax.bracketed(host)
            return port == (tls ? 443 : 80) ? name : "\(name):\(port)"
        }
    }
}

extension HTTPEndpoint: CustomStringConvertible {
    package var description: String {
        switch address {
        case .unix(let path): "unix:\(path)\(basePath)"
        case .tcp(_, _, let tls): "\(tls ? "https" : "http")://\(authority)\(basePath)"
        }
    }
}

/// The reason why a text is not an endpoint. Never repeats a URL, which may contain a secret.
package enum HTTPEndpointError: Error, Sendable, Hashable {
    case notAURL
    case unknownScheme(String)
    case badHost(String)
    case badPort(Int)
    case badSocketPath
    case badBasePath
    case carriesCredentials
    case carriesQuery
}

extension HTTPEndpointError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAURL: "not a URL; write https://host, http://host or unix:/path"
        case .unknownScheme(let scheme): "unknown scheme '\(scheme)'; write https:, http: or unix:"
        case .badHost(let host): "'\(host)' is not a host name or an IP address"
        case .badPort(let port): "port \(port) is not between 1 and 65535"
        case .badSocketPath: "a Unix socket needs a path"
        case .badBasePath: "the path of the server's URL contains a character that must be percent-encoded"
        case .carriesCredentials: "a server's URL must not contain a user or a password"
        case .carriesQuery: "a server's URL must not contain a query or a fragment"
        }
    }
}
