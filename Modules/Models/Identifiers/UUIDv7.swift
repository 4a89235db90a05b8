/// A 128-bit identifier laid out as a UUID (RFC 9562), made of a given wall clock time and given random bits.
///
/// Nothing in Causeway is ordered by the time inside an identifier: order comes from sequences that the store assigns.
public struct UUIDv7: Sendable, Hashable {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Creates an identifier from its two halves, big-endian. Neither the version nor the variant is checked.
    @inlinable public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a version 7 identifier (RFC 9562 §5.7): 48 bits of milliseconds, 74 random bits.
    public init(at time: Timestamp, randomHigh: UInt64, randomLow: UInt64) {
        let milliseconds = UInt64(bitPattern: time.milliseconds) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | (randomHigh & 0x0FFF)
        low = 0x8000_0000_0000_0000 | (randomLow & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// The identifier as 16 bytes, in the order of its text form.
    public var bytes: [UInt8] {
        (0..<16).map { index in
            let half = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: half >> UInt64((7 - index % 8) * 8))
        }
    }

    /// Creates an identifier from 16 bytes; `nil` for any other number of bytes.
    @inlinable public init?(bytes: some Sequence<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        for byte in bytes {
            if count < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
            count += 1
        }
        guard count == 16 else { return nil }
        self.init(high: high, low: low)
    }
}

extension UUIDv7: LosslessStringConvertible {
    /// Parses the 36-character form, upper or lower case; `nil` for anything else.
    public init?(_ text: String) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var digits = 0
        var offset = 0
        for byte in text.utf8 {
            if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Self.hexValue(byte) else { return nil }
                if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
                digits += 1
            }
            offset += 1
        }
        guard offset == 36, digits == 32 else { return nil }
        self.init(high: high, low: low)
    }

    /// The canonical lower-case form, `0190a6b2-…`.
    public var description: String {
        unsafe String(unsafeUninitializedCapacity: 36) { buffer in
            var position = 0
            for nibble in 0..<32 {
                if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                    unsafe buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let half = nibble < 16 ? high : low
                unsafe buffer[position] = Hexadecimal.digit(UInt8(half >> UInt64((15 - nibble % 16) * 4) & 0xF))
                position += 1
            }
            return position
        }
    }

    private static func hexValue(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension UUIDv7: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = UUIDv7(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "invalid identifier; use 36 characters like 0190a6b2-1c3d-7e4f-8a5b-…")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
