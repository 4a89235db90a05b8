import HTTPTypes

/// The cookie of a login: limited to this host and the session's own paths, and unreachable for scripts, for other
/// sites, and for other ports, which cannot know the path.
enum PageCookie {
    /// The prefix makes browsers refuse a cookie of a TLS page that a plain connection set. Browsers send a cookie to
    /// every port of a host: with the port in its name, two pages of one host keep their logins apart.
    private static func name(_ origin: WebOrigin) -> String {
        (origin.isSecure ? "__Secure-causeway" : "causeway") + (origin.port.map { "-\($0)" } ?? "")
    }

    static func value(in fields: HTTPFields, origin: WebOrigin) -> String? {
        let wanted = name(origin) + "="
        let found = fields[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix(wanted) }
        // Two cookies of one name: one of them was planted.
        guard found.count == 1, let cookie = found.first else { return nil }
        return String(cookie.dropFirst(wanted.count))
    }

    /// - Parameter root: the prefix of the session's paths; never `/`.
    static func setting(_ value: String, origin: WebOrigin, root: String) -> String {
        name(origin) + "=" + value + "; Path=\(root)/; HttpOnly; SameSite=Strict" + (origin.isSecure ? "; Secure" : "")
    }

    static func clearing(origin: WebOrigin, root: String) -> String {
        setting("", origin: origin, root: root) + "; Max-Age=0"
    }
}
