import CausewayModels

/// Tracks the messages that others are parked for, so that a delivery queries for parked messages only where there may
/// be some.
///
/// Counts by a few bits of the id: bounded memory regardless of the number of parked messages; a collision costs only a
/// superfluous lookup.
struct AwaitedMessages: Sendable, Equatable {
    private static let bucketCount = 4096
    /// The number of parked messages, over all awaited ones.
    private(set) var count = 0
    private var buckets: [Int32] = []

    mutating func add(_ awaited: MessageID, times: Int32 = 1) {
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        buckets[Self.bucket(awaited)] += times
        count += Int(times)
        if count == 0 { buckets = [] }
    }

    /// False if no message is parked for this one.
    func mayContain(_ id: MessageID) -> Bool { count > 0 && buckets[Self.bucket(id)] > 0 }

    /// The low bits of a UUIDv7 are random; ids chosen by other programs may not be, so the bits are mixed first.
    private static func bucket(_ id: MessageID) -> Int {
        let mixed = (id.value.low ^ id.value.high) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 52)
    }
}
