import CausewayModels
import CausewaySimulationKernel

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
    private(set) var text: HistoryText

    init(isTold: Bool) { text = HistoryText(isRecording: isTold) }

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
        text.record(time, words())
    }
}
