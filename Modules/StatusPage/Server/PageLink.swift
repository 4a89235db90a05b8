import Foundation

/// Addresses of the page's own: path and query, everything encoded that could mean something.
enum PageLink {
    /// - Parameter parts: those without a value are left out.
    static func to(_ path: String, _ parts: KeyValuePairs<String, String?> = [:]) -> String {
        let query = parts.compactMap { name, value in value.map { name + "=" + escaped($0) } }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
