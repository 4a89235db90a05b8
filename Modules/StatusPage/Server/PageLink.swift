import Foundation

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
