import HTTPTypes

/// The checks of text that a request's safety depends on. Text that passes them can be written into a request without
/// ending a line, a field or the request itself.
enum HTTPSyntax {
    /// A path in origin form, with or without a query: `/` followed by characters that RFC 3986 permits there.
    static func isRequestPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.allSatisfy(isPathByte)
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            pathPunctuation.contains(byte)
        }
    }

    private static let pathPunctuation = Array("-._~:/?[]@!$&'()*+,;=%".utf8)

    /// A name or address that is valid in `Host` and in a CONNECT line: ASCII letters, digits, `-`, `.`, `_`, or an
    /// IPv6 address. A name beyond ASCII must be given in its `xn--` form.
    static func isHost(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 255 else { return false }
        if text.contains(":") {
            return IPAddress(text) != nil
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default:
                false
            }
        }
    }

    static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }

    static func isLoopback(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(host) else { return false }
        return address.isLoopback
    }

    /// Fields that control the framing of a message or the reuse of a connection. The client sets them itself; a caller
    /// that could set them could smuggle a second request into the first.
    static let fieldsOfTheClient: Set<HTTPField.Name> = {
        var names: Set<HTTPField.Name> = [
            .connection, .contentLength, .expect, .proxyAuthorization, .te, .trailer, .transferEncoding, .upgrade,
        ]
        for raw in ["Host", "Keep-Alive", "Proxy-Connection"] {
            if let name = HTTPField.Name(raw) { names.insert(name) }
        }
        return names
    }()
}
