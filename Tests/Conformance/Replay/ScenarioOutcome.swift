import CausewayModels

/// The end of a scenario, in terms that do not depend on the world it was played in.
struct ScenarioOutcome: Sendable, Equatable {
    enum Fate: Sendable, Hashable {
        case synced
        case error(Failure.Reason, code: String)
        /// Waits for the message that it refers to, which has failed.
        case parked
        /// Neither finished nor parked: a scenario with such a message has not ended.
        case underWay(SyncState)
        case deleted

        /// The ends that a sample of scenarios must have.
        static let kindsWanted =
            ["synced", "deleted"] + [Failure.Reason.refused, .retriesUsedUp, .sessionEnded].map(\.rawValue)

        /// The kind of end, without the details.
        var kind: String {
            switch self {
            case .synced: "synced"
            case .error(let reason, code: _): reason.rawValue
            case .parked: "parked"
            case .underWay(let state): "under way: \(state.rawValue)"
            case .deleted: "deleted"
            }
        }
    }

    /// Of each message, by its number.
    var fates: [Fate] = []
    /// The messages that the hub shows, in its order.
    var hub: [Scenario.Room: [Int]] = [:]
    /// The messages that the client shows, newest first.
    var client: [Scenario.Room: [Int]] = [:]
    /// The recorded deletions, newest first.
    var deletions: [Int] = []
    /// The content and the reactions of each message, by name, on the hub and on the client.
    var hubBodies: [Int: String] = [:]
    var clientBodies: [Int: String] = [:]
    /// The pending changes and replies of each message, in their order.
    var dependants: [Int: [String]] = [:]
    /// Messages on the hub that no step created.
    var strangers = 0

    /// The differences, line by line.
    func differences(to other: ScenarioOutcome) -> [String] {
        var found: [String] = []
        for number in 0..<max(fates.count, other.fates.count) {
            let (one, two) = (
                fates.indices.contains(number) ? "\(fates[number])" : "missing",
                other.fates.indices.contains(number) ? "\(other.fates[number])" : "missing"
            )
            if one != two { found.append("message \(number): \(one) | \(two)") }
        }
        for number in fates.indices {
            for (place, one, two) in [
                ("hub", hubBodies[number], other.hubBodies[number]),
                ("client", clientBodies[number], other.clientBodies[number]),
                ("changes", dependants[number]?.description, other.dependants[number]?.description),
            ] where one != two {
                found.append("message \(number), \(place): \(one ?? "none") | \(two ?? "none")")
            }
        }
        for room in Scenario.Room.allCases {
            if hub[room] != other.hub[room] {
                found.append("hub, \(room.rawValue): \(hub[room] ?? []) | \(other.hub[room] ?? [])")
            }
            if client[room] != other.client[room] {
                found.append("client, \(room.rawValue): \(client[room] ?? []) | \(other.client[room] ?? [])")
            }
        }
        if deletions != other.deletions { found.append("deletions: \(deletions) | \(other.deletions)") }
        if strangers != other.strangers { found.append("strangers: \(strangers) | \(other.strangers)") }
        return found
    }
}
