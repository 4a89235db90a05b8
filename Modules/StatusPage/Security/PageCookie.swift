import HTTPTypes

/// The cookie of a login: for this host alone, out of the reach of scripts and of other sites.
enum PageCookie {
    /// Over TLS the prefix makes browsers refuse a cookie that another host or a plain connection set. Browsers give a
    /// cookie to every port of a host: with the port in its name, two pages of one host keep their logins apart.
    private static func name(_ origin: SiteOrigin) -> String {
        (origin.isSecure ? "__Host-causeway" : "causeway") + (origin.port.map { "-\($0)" } ?? "")
    }

    static func value(in fields: HTTPFields, origin: SiteOrigin) -> String? {
        let wanted = name(origin) + "="
        let found = fields[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix(wanted) }
        // Two of one name: one of them was planted.
        guard found.count == 1, let cookie = found.first else { return nil }
        return String(cookie.dropFirst(wanted.count))
    }

    static func setting(_ value: String, origin: SiteOrigin) -> String {
        name(origin) + "=" + value + "; Path=/; HttpOnly; SameSite=Strict" + (origin.isSecure ? "; Secure" : "")
    }

    static func clearing(origin: SiteOrigin) -> String { setting("", origin: origin) + "; Max-Age=0" }
}
