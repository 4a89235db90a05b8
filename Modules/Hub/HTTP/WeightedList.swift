internal import HTTPTypes

/// The lists of `Accept` and `Accept-Encoding` (RFC 9110 §12.4.2): values with parameters, of which `q` is the weight.
enum WeightedList {
    /// Whether a value is named, and not with the weight 0. Wildcards name nothing: the hub has another form for every
    /// response, so that it chooses this one only for clients that know it.
    ///
    /// - Parameter value: in lower case.
    static func names(_ value: String, _ field: HTTPField.Name, of fields: HTTPFields) -> Bool {
        fields[values: field].contains { list in
            split(list, at: UInt8(ascii: ",")).contains { element in
                let parts = split(element, at: UInt8(ascii: ";")).map { part in
                    part.filter { $0 != " " && $0 != "\t" }.lowercased()
                }
                guard parts.first == value else { return false }
                let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
                return weight?.contains { ("1"..."9").contains($0) } ?? true
            }
        }
    }

    /// Returns the parts of a list; a separator in a quoted string separates nothing.
    private static func split(_ list: some StringProtocol, at separator: UInt8) -> [String] {
        var parts: [String] = []
        var part: [UInt8] = []
        var (isQuoted, isEscaped) = (false, false)
        for byte in list.utf8 {
            if byte == separator, !isQuoted {
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
