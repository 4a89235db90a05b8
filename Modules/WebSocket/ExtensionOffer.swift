/// One extension in `Sec-WebSocket-Extensions` (RFC 6455 §9.1): an offer of a client, or the choice of a server.
struct ExtensionOffer: Equatable {
    struct Parameter: Equatable {
        let name: String
        /// `nil` without one.
        let value: String?
    }

    /// The field is not a list of extensions.
    struct Malformed: Error {}

    /// In lower case.
    let name: String
    /// In their order; names in lower case.
    let parameters: [Parameter]

    /// Parses the field's values, in their order.
    static func parse(_ values: [String]) throws(Malformed) -> [ExtensionOffer] {
        var offers: [ExtensionOffer] = []
        for value in values {
            var reader = Reader(rest: Array(value.utf8)[...])
            // Empty elements of a list are ignored (RFC 9110 §5.6.1).
            repeat {
                if let offer = try reader.offer() { offers.append(offer) }
            } while reader.skip(UInt8(ascii: ","))
            guard reader.rest.isEmpty else { throw Malformed() }
        }
        return offers
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// - Returns: `nil` for an empty element.
        mutating func offer() throws(Malformed) -> ExtensionOffer? {
            guard let name = token() else { return nil }
            var parameters: [Parameter] = []
            while skip(UInt8(ascii: ";")) {
                guard let name = token() else { throw Malformed() }
                var value: String?
                if skip(UInt8(ascii: "=")) { value = try self.value() }
                parameters.append(Parameter(name: name.lowercased(), value: value))
            }
            return ExtensionOffer(name: name.lowercased(), parameters: parameters)
        }

        private mutating func value() throws(Malformed) -> String {
            guard skip(UInt8(ascii: "\"")) else {
                guard let token = token() else { throw Malformed() }
                return token
            }
            // A quoted value is a token, too, once its escapes are resolved.
            var bytes: [UInt8] = []
            while true {
                guard let byte = rest.popFirst() else { throw Malformed() }
                if byte == UInt8(ascii: "\"") { break }
                guard let next = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte, Self.isToken(next) else {
                    throw Malformed()
                }
                bytes.append(next)
            }
            guard !bytes.isEmpty else { throw Malformed() }
            return String(decoding: bytes, as: UTF8.self)
        }

        private mutating func token() -> String? {
            skipSpace()
            let token = rest.prefix(while: Self.isToken)
            rest = rest.dropFirst(token.count)
            skipSpace()
            return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
        }

        /// Skips a byte with the space around it, if it is the next one.
        mutating func skip(_ byte: UInt8) -> Bool {
            skipSpace()
            guard rest.first == byte else { return false }
            rest = rest.dropFirst()
            return true
        }

        private mutating func skipSpace() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

        /// A character of a token (RFC 9110 §5.6.2).
        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: punctuation.contains(byte)
            }
        }

        private static let punctuation = Array("!#$%&'*+-.^_`|~".utf8)
    }
}
