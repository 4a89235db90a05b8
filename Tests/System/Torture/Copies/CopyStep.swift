import CausewayModels

/// One event of the copies of a store, or of the hub, drawn from the seed; a step that is not possible in the present
/// state is skipped.
enum CopyStep: Sendable, Hashable {
    /// Starts the daemon of a copy unless it runs, and enqueues this many messages.
    case send(copy: Int, count: Int)
    /// Edits a message of a copy, counted from its newest.
    case edit(copy: Int, fromNewest: Int)
    case delete(copy: Int, fromNewest: Int)
    /// Delivers everything of a copy, if the hub runs.
    case drain(copy: Int)
    case start(copy: Int)
    case stop(copy: Int, byKill: Bool)
    /// Copies the store's folder; of a running daemon through SQLite's own backup.
    case backUp(copy: Int)
    /// Stops the daemon of a copy, and replaces its store by a backup.
    case restore(copy: Int, backup: Int)
    /// Makes a backup one more copy with a daemon of its own.
    case copy(backup: Int)
    /// Stops the hub when it runs, and starts it when it does not.
    case toggleHub(byKill: Bool)
    case pass(Duration)

    /// The steps of one history.
    static func history(seed: UInt64) -> [CopyStep] {
        var generator = SplitMix64(seed: seed)
        var steps: [CopyStep] = [.send(copy: 0, count: 3), .backUp(copy: 0)]
        for _ in 0..<Int.random(in: 10...18, using: &generator) { steps.append(draw(&generator)) }
        return steps
    }

    private static func draw(_ generator: inout SplitMix64) -> CopyStep {
        // Larger than any count of copies or backups: the world takes the remainder.
        let copy = Int.random(in: 0..<64, using: &generator)
        let other = Int.random(in: 0..<64, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<28: return .send(copy: copy, count: Int.random(in: 1...6, using: &generator))
        case 28..<34: return .edit(copy: copy, fromNewest: other % 8)
        case 34..<40: return .delete(copy: copy, fromNewest: other % 8)
        case 40..<48: return .drain(copy: copy)
        case 48..<53: return .start(copy: copy)
        case 53..<61: return .stop(copy: copy, byKill: other.isMultiple(of: 2))
        case 61..<71: return .backUp(copy: copy)
        case 71..<79: return .restore(copy: copy, backup: other)
        case 79..<86: return .copy(backup: other)
        case 86..<96: return .toggleHub(byKill: other.isMultiple(of: 2))
        default: return .pass(.milliseconds(Int.random(in: 1...100, using: &generator)))
        }
    }
}
