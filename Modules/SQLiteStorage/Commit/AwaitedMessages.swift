import CausewayModels

/// Which messages others are parked for, so that a delivery looks for those only where there may be some.
///
/// Counts by a few bits of the id: bounded, however much is parked, and wrong only by a look-up too many.
struct AwaitedMessages: Sendable, Equatable {
    private static let bucketCount = 4096
    /// How many wait, over all messages.
    private(set) var count = 0
    private var buckets: [Int32] = []

    mutating func add(_ awaited: MessageID, times: Int32 = 1) {
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        buckets[Self.bucket(awaited)] += times
        count += Int(times)
        if count == 0 { buckets = [] }
    }

    /// False when nothing is parked for the message.
    func mayContain(_ id: MessageID) -> Bool { count > 0 && buckets[Self.bucket(id)] > 0 }

    /// The low bits of a UUIDv7 are random; what somebody else chose is mixed first.
    private static func bucket(_ id: MessageID) -> Int {
        let mixed = (id.value.low ^ id.value.high) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 52)
    }
}
