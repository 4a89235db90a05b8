/// A position in a list as opaque text: key and id in hexadecimal digits.
extension ListCursor {
    /// Characters of the text; twice the bytes of the longest key and id.
    private static let textCharactersMax = 4 * Limits.recordIDBytesMax + 1

    package var text: String { Hexadecimal.text(of: key.bytes) + "-" + Hexadecimal.text(of: Array(id.utf8)) }

    /// - Returns: `nil` for text that is not such a position.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.textCharactersMax else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Hexadecimal.bytes(of: parts[0]), let bytes = Hexadecimal.bytes(of: parts[1]),
            let id = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.init(key: ListKey(bytes: key), id: id)
    }
}
