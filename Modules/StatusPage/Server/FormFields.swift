/// The fields of a form or a query (`application/x-www-form-urlencoded`). Bounded.
struct FormFields: Sendable, Hashable {
    private struct Field: Hashable {
        let name: String
        let value: String
    }

    private var fields: [Field] = []

    /// Fields that may occur more than once.
    private static let repeatable: Set<String> = ["id"]

    /// - Returns: `nil` for a text that is malformed or ambiguous: a broken escape, invalid UTF-8, too many fields, or
    ///   a repeated one. A repeated field that counted as absent could widen a request.
    init?(_ text: some StringProtocol) {
        var names: Set<String> = []
        for part in text.split(separator: "&", omittingEmptySubsequences: true) {
            guard fields.count < StatusPageLimits.formFieldsMax else { return nil }
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]), let value = Self.decoded(halves.count > 1 ? halves[1] : "")
            else { return nil }
            guard names.insert(name).inserted || Self.repeatable.contains(name) else { return nil }
            fields.append(Field(name: name, value: value))
        }
    }

    /// The value of a field; `nil` when it is absent or empty.
    subscript(name: String) -> String? {
        let found = all(name)
        guard found.count == 1, let value = found.first, !value.isEmpty else { return nil }
        return value
    }

    func all(_ name: String) -> [String] { fields.compactMap { $0.name == name ? $0.value : nil } }

    private static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var source = text.utf8.makeIterator()
        while let byte = source.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = source.next().flatMap(digit), let low = source.next().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
