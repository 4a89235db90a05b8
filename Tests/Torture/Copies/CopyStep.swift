import CausewayModels

/// One thing that happens to the copies of a store, or to the hub. The seed draws them; a step that cannot be done as
/// things stand is passed over.
enum CopyStep: Sendable, Hashable {
    /// The daemon of a copy is started when it does not run, and takes in so many messages.
    case send(copy: Int, count: Int)
    /// A message of a copy, counted from its newest, says something else.
    case edit(copy: Int, fromNewest: Int)
    case delete(copy: Int, fromNewest: Int)
    /// Everything of a copy is delivered, when the hub runs.
    case drain(copy: Int)
    case start(copy: Int)
    case stop(copy: Int, byKill: Bool)
    /// A copy of the store's folder; of a running daemon through SQLite's own backup.
    case backUp(copy: Int)
    /// The daemon of a copy ends, and a backup takes the place of its store.
    case restore(copy: Int, backup: Int)
    /// A backup becomes one more copy with a daemon of its own.
    case copy(backup: Int)
    /// The hub ends when it runs, and starts when it does not.
    case toggleHub(byKill: Bool)
    case pass(Duration)

    /// The steps of one history.
    static func history(seed: UInt64) -> [CopyStep] {
        var chance = SplitMix64(seed: seed)
        var steps: [CopyStep] = [.send(copy: 0, count: 3), .backUp(copy: 0)]
        for _ in 0..<Int.random(in: 10...18, using: &chance) { steps.append(draw(&chance)) }
        return steps
    }

    private static func draw(_ chance: inout SplitMix64) -> CopyStep {
        // Larger than any count of copies or backups: the world takes the remainder.
        let copy = Int.random(in: 0..<64, using: &chance)
        let other = Int.random(in: 0..<64, using: &chance)
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<28: return .send(copy: copy, count: Int.random(in: 1...6, using: &chance))
        case 28..<34: return .edit(copy: copy, fromNewest: other % 8)
        case 34..<40: return .delete(copy: copy, fromNewest: other % 8)
        case 40..<48: return .drain(copy: copy)
        case 48..<53: return .start(copy: copy)
        case 53..<61: return .stop(copy: copy, byKill: other.isMultiple(of: 2))
        case 61..<71: return .backUp(copy: copy)
        case 71..<79: return .restore(copy: copy, backup: other)
        case 79..<86: return .copy(backup: other)
        case 86..<96: return .toggleHub(byKill: other.isMultiple(of: 2))
        default: return .pass(.milliseconds(Int.random(in: 1...100, using: &chance)))
        }
    }
}
