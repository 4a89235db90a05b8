/// The values of header fields that are lists (RFC 9110 §5.6.1).
enum FieldList {
    /// Returns the parts of a list, or of one of its elements, between separators. One in a quoted string separates
    /// nothing.
    ///
    /// - Parameter separator: an ASCII character.
    static func split(_ text: some StringProtocol, at separator: Unicode.Scalar) -> [String] {
        var parts: [String] = []
        var part: [UInt8] = []
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            if byte == UInt8(ascii: separator), !isQuoted {
                parts.append(String(decoding: part, as: UTF8.self))
                part = []
                continue
            }
            part.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else {
                isEscaped = isQuoted && byte == UInt8(ascii: "\\")
            }
        }
        return parts + [String(decoding: part, as: UTF8.self)]
    }
}
