import CausewayModels

/// How a story ends, in terms that do not depend on the world it was played in.
struct StoryEnd: Sendable, Equatable {
    enum Fate: Sendable, Hashable {
        case synced
        case error(Failure.Reason, code: String)
        /// Neither on its way nor done: a story that ends so has not ended.
        case underWay(SyncState)
        case deleted
    }

    /// Of each message, by its number.
    var fates: [Fate] = []
    /// The messages that the hub shows, in its order.
    var hub: [Story.Room: [Int]] = [:]
    /// The messages that the client shows, the newest first.
    var client: [Story.Room: [Int]] = [:]
    /// The recorded deletions, the newest first.
    var deletions: [Int] = []
    /// Messages on the hub that nobody created.
    var strangers = 0

    /// What is different, line by line.
    func differences(to other: StoryEnd) -> [String] {
        var found: [String] = []
        for number in 0..<max(fates.count, other.fates.count) {
            let (one, two) = (
                fates.indices.contains(number) ? "\(fates[number])" : "missing",
                other.fates.indices.contains(number) ? "\(other.fates[number])" : "missing"
            )
            if one != two { found.append("message \(number): \(one) | \(two)") }
        }
        for room in Story.Room.allCases {
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
