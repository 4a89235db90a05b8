import Foundation

/// The address of a request: a path of the page, prefixed with the session's key when there is a login.
///
/// Browsers send a cookie to every port of a host, unless its path forbids it: no other server on this machine can lead
/// a browser to a path below `/s/KEY/`, because it does not know the key.
struct PageAddress: Sendable, Hashable {
    /// The key of a session, if the address has one.
    let key: String?
    /// The path without the key.
    let path: String

    init(_ text: String) {
        guard let (key, path) = Self.parts(of: text) else {
            self.key = nil
            self.path = text
            return
        }
        self.key = key
        self.path = path
    }

    private static func parts(of text: String) -> (key: String, path: String)? {
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.dropFirst(prefix.count)
        let key = rest.prefix(keyLength)
        let path = rest.dropFirst(keyLength)
        guard key.utf8.count == keyLength, key.utf8.allSatisfy(isDigit), path.hasPrefix("/") else { return nil }
        return (String(key), String(path))
    }

    /// The prefix of every path of the session; empty when there is none.
    var root: String { key.map(Self.root) ?? "" }

    static func root(of key: String) -> String { prefix + key }

    private static let prefix = "/s/"
    /// The number of characters of ``SessionStore/secret()``.
    private static let keyLength = 64

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

/// Links to the page's own addresses: path and query, with every significant character encoded.
enum PageLink {
    /// - Parameter parts: the query; entries without a value are omitted.
    static func to(_ path: String, _ parts: KeyValuePairs<String, String?> = [:]) -> String {
        let query = parts.compactMap { name, value in value.map { name + "=" + escaped($0) } }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
