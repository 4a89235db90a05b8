/// The part of a file that a request asks for (RFC 9110 §14): one range of bytes, or everything.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int64>)
    /// No byte of the file is in the range.
    case unsatisfiable

    /// A field of any other form, or with several ranges, is ignored: the response is the whole file.
    ///
    /// - Parameters:
    ///   - text: the value of the field `Range`.
    ///   - size: bytes of the file.
    init(_ text: String?, size: Int64) {
        self = .whole
        guard let text, text.lowercased().hasPrefix("bytes=") else { return }
        let bounds = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return }
        switch (Self.number(bounds[0]), Self.number(bounds[1])) {
        case (nil, let count?) where bounds[0].isEmpty:
            self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
        case (let first?, nil) where bounds[1].isEmpty:
            self = first < size ? .part(first..<size) : .unsatisfiable
        case (let first?, let last?):
            guard first <= last else { return }
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        default: return
        }
    }

    /// A number that is too large is larger than every file.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text) ?? .max
    }
}
