/// One user on one server: the owner of an outbox and of all data stored for it.
public struct Account: Sendable, Hashable, Codable {
    /// The server's address in the form of ``ServerAddress/canonical(_:)``.
    public let server: String
    /// The user on that server.
    public let user: UserID

    /// - Parameter server: the address in any spelling.
    public init(server: String, user: UserID) {
        self.server = ServerAddress.canonical(server)
        self.user = user
    }
}

extension Account: CustomStringConvertible {
    public var description: String { "\(user) at \(server)" }
}

/// Server addresses, compared by their target.
public enum ServerAddress {
    /// Returns one spelling for all addresses of the same server: scheme and host in lower case, without the scheme's
    /// default port and without a trailing slash. `https://Hub.example:443/` becomes `https://hub.example`. Schemes that
    /// only say how requests travel to it are `https` (`wss`, `auto`) or `http` (`ws`).
    ///
    /// A text that is not an address is returned unchanged.
    public static func canonical(_ address: String) -> String {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://"), colon != address.startIndex
        else { return address }
        let spelled = address[..<colon].lowercased()
        let scheme = sameServer[spelled] ?? spelled
        let rest = address[address.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var authority = rest[..<end].lowercased()
        if let port = ownPort[scheme], authority.hasSuffix(port) { authority.removeLast(port.count) }
        if authority.hasSuffix(":") { authority.removeLast() }
        var path = rest[end...]
        while path.last == "/" { path.removeLast() }
        return scheme + "://" + authority + path
    }

    private static let ownPort = ["https": ":443", "http": ":80"]
    private static let sameServer = ["wss": "https", "auto": "https", "ws": "http"]
}
