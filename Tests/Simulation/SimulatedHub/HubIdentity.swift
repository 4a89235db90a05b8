import CausewayModels

/// The identity of the hub and the histories of its data: the names in its responses.
///
/// Stored with the data: a restored backup has its own, and only ``names`` continue, so that none is used twice in a
/// world.
struct HubIdentity: Sendable {
    struct History: Sendable {
        var number: Int
        var floor: Int64
    }

    var names = 1
    var hub = 1
    var history = History(number: 1, floor: 0)
    var opening = 1
    /// The last commit of each opening that has ended.
    var lastCommits: [Int: Int64] = [:]
    /// The number of commits that have changed something.
    var commit: Int64 = 0

    mutating func takeName() -> Int {
        names += 1
        return names
    }

    /// The history that a response names.
    var present: ServerHistory {
        let claim = HubClaim(
            hub: hub, history: history.number, floor: history.floor, opening: opening, commit: commit)
        return ServerHistory(
            server: "hub \(hub)", id: "history \(history.number)", opening: "opening \(opening)", commit: commit,
            claim: claim.text)
    }
}

/// Equal to every other identity: in a world without claims it does not affect the state.
extension HubIdentity: Hashable {
    static func == (_: HubIdentity, _: HubIdentity) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

/// The model's form of a claim; claims are never forged in a simulated world.
struct HubClaim {
    var hub: Int
    var history: Int
    var floor: Int64
    var opening: Int
    var commit: Int64

    var text: String { "\(hub).\(history).\(floor).\(opening).\(commit)" }
}

extension HubClaim {
    init?(_ text: String) {
        let numbers = text.split(separator: ".").compactMap { Int64($0) }
        guard numbers.count == 5 else { return nil }
        self.init(
            hub: Int(numbers[0]), history: Int(numbers[1]), floor: numbers[2], opening: Int(numbers[3]),
            commit: numbers[4])
    }
}
