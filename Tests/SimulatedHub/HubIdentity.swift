import CausewayModels

/// Which hub it is, and which histories its data have had: the names that its answers bear.
///
/// Lies beside the data: a backup that is put back brings its own, and only ``names`` go on, so that none is given
/// twice in a world.
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
    /// How many commits have changed something.
    var commit: Int64 = 0

    mutating func takeName() -> Int {
        names += 1
        return names
    }

    /// What an answer names.
    var present: ServerHistory {
        let claim = HubClaim(
            hub: hub, history: history.number, floor: history.floor, opening: opening, commit: commit)
        return ServerHistory(
            server: "hub \(hub)", id: "history \(history.number)", commit: commit, claim: claim.text)
    }
}

/// A part of a world that says nothing about its state: in a world that claims no history it changes nothing.
extension HubIdentity: Hashable {
    static func == (_: HubIdentity, _: HubIdentity) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

/// A claim as the model writes it; nobody in a simulated world forges one.
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
