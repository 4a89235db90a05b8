import CausewayModels

/// The world's random numbers: a separate stream for each purpose, so that removing a part of a history leaves the rest
/// of it unchanged.
struct Randomness {
    private let seed: UInt64
    private var ofFaults: [SplitMix64]
    private var ofNetwork: SplitMix64
    private var ofHistory: SplitMix64
    private var strikes: [Int]
    /// The stream of the current event: of the user's act, or of the fault that struck.
    private var dice: SplitMix64

    init(seed: UInt64) {
        self.seed = seed
        ofFaults = Fault.allCases.indices.map { SplitMix64(seed: seed &+ UInt64($0 + 1) &* 0xA076_1D64_78BD_642F) }
        ofNetwork = SplitMix64(seed: seed ^ 0x5EED)
        ofHistory = SplitMix64(seed: seed ^ 0x0B5E)
        dice = SplitMix64(seed: seed ^ 0xD1CE)
        strikes = Fault.allCases.map { _ in 0 }
    }

    /// Starts an act of a user: the draws that follow come from a stream of its own.
    mutating func begin(_ act: Plan.Act, part: UInt64) {
        let number = UInt64(act.number + 1) << 8 | UInt64(act.client) << 1 | part
        dice = SplitMix64(seed: seed ^ (number &* 0x9FB2_1C65_1E98_DF25))
    }

    /// The ordinal number of this strike of the fault; `nil` when it does not strike now.
    mutating func strike(_ fault: Fault, likelihood: Int) -> FaultHit? {
        guard likelihood > 0, Int.random(in: 0..<1000, using: &ofFaults[fault.index]) < likelihood else { return nil }
        strikes[fault.index] += 1
        dice = SplitMix64(seed: ofFaults[fault.index].next())
        return FaultHit(fault: fault, number: strikes[fault.index])
    }

    /// True with the given likelihood in thousandths.
    mutating func isLikely(_ thousandths: Int) -> Bool {
        thousandths > 0 && Int.random(in: 0..<1000, using: &dice) < thousandths
    }

    mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &dice) }

    mutating func one<Value>(of values: [Value]) -> Value? { values.randomElement(using: &dice) }

    mutating func seedOfOthers() -> UInt64 { dice.next() }

    mutating func between(_ low: Duration, _ high: Duration) -> Duration {
        .milliseconds(Int64.random(in: low.wholeMilliseconds...high.wholeMilliseconds, using: &dice))
    }

    /// The pause between two moments at which the hub's data may be copied, or lost.
    mutating func pauseOfHub() -> Duration { .milliseconds(Int64.random(in: 200...6_000, using: &ofHistory)) }

    /// A number for the choice of a backup.
    mutating func backup(in range: Range<Int>) -> Int { Int.random(in: range, using: &ofHistory) }

    /// The duration of a transmission.
    mutating func latency() -> Duration { .milliseconds(Int64.random(in: 2...200, using: &ofNetwork)) }
}
