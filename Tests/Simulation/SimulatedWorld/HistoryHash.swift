import CausewayModels

/// The hash of a history: the same in every process and build, unlike Swift's own hashes.
///
/// Each word is mixed in as SplitMix64 mixes its state, so that the order counts.
struct HistoryHash: Sendable, Equatable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ word: UInt64) {
        var mixed = (value ^ word) &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        value = mixed ^ (mixed >> 31)
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    mutating func add(_ number: Int) { add(Int64(number)) }

    mutating func add(_ kind: Int, _ number: Int) {
        add(kind)
        add(number)
    }

    mutating func add(_ number: Int64?) { add(number ?? -1) }

    mutating func add(_ flag: Bool) { add(flag ? 1 as UInt64 : 0) }

    mutating func add(_ message: MessageID) { add(message.value.low) }

    mutating func add(_ duration: Duration) {
        add(duration.components.seconds)
        add(duration.components.attoseconds)
    }

    mutating func add(_ text: String) {
        var word: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count % 8 == 0 { add(word) }
        }
        add(word)
        add(count)
    }

    mutating func add(_ time: Timestamp) { add(time.milliseconds) }

    /// Formats sixteen hexadecimal digits.
    static func told(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
