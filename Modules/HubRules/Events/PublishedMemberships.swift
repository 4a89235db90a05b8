internal import CausewayModels

/// The changes of accounts' own topics that this process has published itself; free of I/O.
///
/// A look at the log for the commits of other processes finds these as well. Published once more, they would end the
/// typing and the presence of a member that has joined just now.
///
/// Bounded: past ``countMax`` accounts nothing is noted, and their changes are published twice.
package struct PublishedMemberships: Sendable {
    private let countMax: Int
    private var positions: [UserID: Int64] = [:]

    package init(countMax: Int) { self.countMax = countMax }

    /// The accounts that it holds.
    package var count: Int { positions.count }

    /// The changes of these topics up to a position of the log are being published.
    package mutating func note(_ topics: Set<LogTopic>, upTo position: Int64) {
        for case .account(let user) in topics {
            guard positions[user] != nil || positions.count < countMax else { continue }
            positions[user] = max(positions[user] ?? position, position)
        }
    }

    /// Whether the last change of a topic, at this position, has been published.
    package func contains(_ topic: LogTopic, at position: Int64) -> Bool {
        guard case .account(let user) = topic, let published = positions[user] else { return false }
        return position <= published
    }

    /// Forgets what no later look finds.
    package mutating func removeAll(upTo position: Int64) { positions = positions.filter { $0.value > position } }
}
