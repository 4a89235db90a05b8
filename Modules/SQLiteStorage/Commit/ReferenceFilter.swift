import CausewayModels

/// A counting filter of references to messages, so that a message without any costs no query: of the messages that
/// others are parked for, when a message is delivered, and of those that the outbox refers to, when some are pruned.
///
/// Counts by a few bits of the id: bounded memory regardless of the number of references. A collision costs a
/// superfluous lookup, or keeps a message that need not be kept.
struct ReferenceFilter: Sendable, Equatable {
    private static let bucketCount = 4096
    /// The number of references, to all messages.
    private(set) var count = 0
    private var buckets: [Int32] = []

    mutating func add(_ referenced: MessageID, times: Int32 = 1) {
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        buckets[Self.bucket(referenced)] += times
        count += Int(times)
        if count == 0 { buckets = [] }
    }

    /// False if nothing refers to the message.
    func mayContain(_ id: MessageID) -> Bool { count > 0 && buckets[Self.bucket(id)] > 0 }

    /// The low bits of a UUIDv7 are random; ids chosen by other programs may not be, so the bits are mixed first.
    private static func bucket(_ id: MessageID) -> Int {
        let mixed = (id.value.low ^ id.value.high) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 52)
    }
}
