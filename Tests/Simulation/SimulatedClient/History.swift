import CausewayModels

/// The events of one run, in order: as a hash, and as text on request.
struct History {
    /// Kinds of events. The raw value goes into the hash: never renumber.
    enum Kind: UInt64 {
        case strikes = 1
        case acts, accepted, told, opens, opened, crashes, closes, commits, calls, arrives, answers
        case stores, heals, ends
    }

    /// FNV-1a over 64-bit words: the same history gives the same hash, in every process and every build.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines: [String] = []
    let isTold: Bool

    init(isTold: Bool) { self.isTold = isTold }

    mutating func mix(_ number: UInt64) { hash = (hash ^ number) &* 0x0000_0100_0000_01B3 ^ (hash >> 47) }
    mutating func mix(_ number: Int) { mix(UInt64(bitPattern: Int64(number))) }

    mutating func add(
        _ time: MonotonicTime, _ step: Int, _ kind: Kind, _ first: Int, _ second: Int, _ words: () -> String
    ) {
        mix(UInt64(bitPattern: time.nanoseconds))
        mix(step)
        mix(kind.rawValue)
        mix(first)
        mix(second)
        guard isTold else { return }
        let milliseconds = time.nanoseconds / 1_000_000
        let fraction = milliseconds % 1000
        let padded = String("000\(fraction)".suffix(3))
        lines.append("\(milliseconds / 1000).\(padded) s  \(words())")
    }
}
