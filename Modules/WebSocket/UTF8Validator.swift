/// Checks a text that arrives in parts, which may end inside a character. Pure; each byte is looked at once, and up to
/// three of each part once more.
struct UTF8Validator {
    /// The bytes of a character that is not complete; at most three.
    private var rest: [UInt8] = []

    /// Checks the next part.
    ///
    /// - Parameter isLast: whether the text ends with it.
    /// - Returns: false if no continuation could make the text valid.
    mutating func append(_ part: some BidirectionalCollection<UInt8>, isLast: Bool) -> Bool {
        var part = part[...]
        while !rest.isEmpty, let byte = part.popFirst() {
            rest.append(byte)
            if rest.count == Self.length(startingWith: rest[0]) {
                guard String(validating: rest, as: UTF8.self) != nil else { return false }
                rest = []
            } else if !Self.canContinue(rest) {
                return false
            }
        }
        if rest.isEmpty {
            rest = Self.incompleteEnd(of: part)
            guard Self.canContinue(rest), String(validating: part.dropLast(rest.count), as: UTF8.self) != nil else {
                return false
            }
        }
        return !isLast || rest.isEmpty
    }

    /// The bytes at the end that begin a character without completing it.
    private static func incompleteEnd(of part: some BidirectionalCollection<UInt8>) -> [UInt8] {
        var end: [UInt8] = []
        for byte in part.reversed().prefix(3) {
            end.insert(byte, at: 0)
            guard !isContinuation(byte) else { continue }
            return end.count < length(startingWith: byte) ? end : []
        }
        return []
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The bytes of a character; 1 for a byte that begins none.
    private static func length(startingWith byte: UInt8) -> Int {
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    /// Whether some character begins with these bytes: neither an overlong form, nor a surrogate, nor too large.
    private static func canContinue(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, bytes.count > 1 else { return true }
        let second: ClosedRange<UInt8> =
            switch first {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        return second.contains(bytes[1]) && bytes.dropFirst(2).allSatisfy(isContinuation)
    }
}
