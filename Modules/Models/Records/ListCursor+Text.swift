/// A position in a list as opaque text: key and id in hexadecimal digits.
extension ListCursor {
    /// Characters of the text; twice the bytes of the longest key and id.
    private static let textCharactersMax = 4 * Limits.recordIDBytesMax + 1

    package var text: String { Self.digits(key.bytes) + "-" + Self.digits(id.utf8) }

    /// - Returns: `nil` for text that is not such a position.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.textCharactersMax else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Self.bytes(parts[0]), let bytes = Self.bytes(parts[1]),
            let id = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.init(key: ListKey(bytes: key), id: id)
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let values = text.utf8.compactMap { digit in hexadecimal.firstIndex(of: digit).map(UInt8.init) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
