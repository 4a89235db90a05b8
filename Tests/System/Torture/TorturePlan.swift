import CausewayModels

/// The faults for one daemon. The times are drawn from the seed; what they hit depends on the machine.
struct TorturePlan: Sendable {
    /// The time at which a daemon is killed.
    enum KillTime: Sendable, Hashable {
        /// This long after the process was started: usually before it listens.
        case starting(after: Duration)
        /// This long after it listens, with senders at work.
        case working(for: Duration)
    }

    /// An additional fault in a run of the daemon.
    enum Trouble: Sendable, Hashable {
        case none
        /// The hub is killed this long before the daemon.
        case hubDies(before: Duration)
        /// Requests are carried and responses lost for this long before the kill; needs the proxy.
        case answersLost(for: Duration)
        /// Every connection is cut this long before the kill, and may be made again; needs the proxy.
        case cut(before: Duration)
    }

    /// A deliberate loss, used to show that it would be found.
    enum PlantedFault: String, Sendable, CaseIterable {
        /// An accepted message is deleted from the database of the dead daemon.
        case deletesRow
        /// The database of the dead daemon is replaced by an older copy.
        case restoresOlderStore
    }

    let seed: UInt64
    var kills: Int
    var restart: RestartPolicy
    var hasProxy: Bool
    /// The kind of the daemon's store: a file store, otherwise SQLite.
    var hasFileStore: Bool
    var plantedFault: PlantedFault?

    /// Makes the plan of one world of a series: both policies, with and without a proxy, and both stores, in turn.
    init(seed: UInt64, kills: Int) {
        self.seed = seed
        self.kills = kills
        restart = seed.isMultiple(of: 2) ? .resume : .fail
        hasProxy = (seed / 2).isMultiple(of: 2)
        hasFileStore = (seed + seed / 4) % 2 == 1
    }

    func moment(_ generator: inout SplitMix64) -> KillTime {
        // A start takes about 150 ms here; a slow machine has its kills earlier in it, which is as good.
        Int.random(in: 0..<5, using: &generator) == 0
            ? .starting(after: Self.upTo(200, &generator)) : .working(for: Self.upTo(300, &generator))
    }

    func trouble(_ generator: inout SplitMix64) -> Trouble {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: .hubDies(before: Self.upTo(20, &generator))
        case 1, 2: hasProxy ? .answersLost(for: Self.upTo(60, &generator)) : .none
        case 3: hasProxy ? .cut(before: Self.upTo(60, &generator)) : .none
        default: .none
        }
    }

    private static func upTo(_ milliseconds: Int, _ generator: inout SplitMix64) -> Duration {
        .microseconds(Int.random(in: 0...milliseconds * 1000, using: &generator))
    }
}
