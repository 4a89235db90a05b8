import CausewayHubRules
package import CausewayModels

/// Histories: the hub's data are rolled back or replaced, and the real rules detect it.
extension ModelHub {
    /// The history that each response names.
    package var present: ServerHistory { identity.present }

    /// The marks of the lanes of an outbox.
    package func marks(of outbox: OutboxID, account: UserID?) -> [LaneID: Int64] {
        let own = marks.filter { $0.key.outbox == outbox && $0.key.account == account && $0.value > 0 }
        return Dictionary(uniqueKeysWithValues: own.map { ($0.key.lane, $0.value) })
    }

    /// The openings that moved these marks last.
    package func movers(of outbox: OutboxID, account: UserID?) -> [LaneID: OpeningID] {
        let own = movers.filter { $0.key.outbox == outbox && $0.key.account == account }
        return Dictionary(uniqueKeysWithValues: own.map { ($0.key.lane, $0.value) })
    }

    /// The newest position of a channel, as if only messages took positions; includes deleted ones.
    package func newestPosition(of channel: ChannelID) -> Int64 {
        let last = accepted.values.filter { $0.channel == channel }.map(\.serverPosition.position).max() ?? 0
        return max(identity.history.floor, last)
    }

    /// Returns whether a client with this claim knows the present history; another one begins when the claim proves
    /// that data was lost.
    package mutating func knowsPresent(_ claim: ServerHistory?) -> Bool {
        guard let claim else { return true }
        guard let claimed = HubClaim(claim.claim), claimed.hub == identity.hub else { return false }
        let isOfOpening = claimed.opening == identity.opening
        let rules = HistoryRules.Claim(
            isOfPresentHistory: claimed.history == identity.history.number, floor: claimed.floor,
            commit: claimed.commit)
        let last = isOfOpening ? identity.commit : identity.lastCommits[claimed.opening]
        switch HistoryRules.judge(rules, floor: identity.history.floor, lastCommit: last) {
        case .current: return true
        case .changed: return false
        case .lost(let floor):
            if plantedFault == .overlooksLosses { return true }
            beginHistory(above: floor)
            return false
        }
    }

    /// Restarts the hub.
    package mutating func beginOpening() {
        identity.lastCommits[identity.opening] = identity.commit
        identity.opening = identity.takeName()
    }

    /// Replaces the data by a copy of an earlier state, and restarts the hub on it.
    package mutating func putBack(_ backup: ModelHub) {
        let names = identity.names
        self = backup
        identity.names = names
        beginOpening()
    }

    /// Restores a backup by the hub's own command, which knows that the data are rolled back, and reads the present
    /// ones.
    package mutating func restore(_ backup: ModelHub) {
        let floor = max(identity.history.floor, nextPosition - 1)
        putBack(backup)
        beginHistory(above: floor)
    }

    /// Replaces this hub by another one, which is empty.
    package mutating func replace() {
        var identity = HubIdentity()
        identity.names = self.identity.names
        identity.hub = identity.takeName()
        identity.history.number = identity.takeName()
        identity.opening = identity.takeName()
        self = ModelHub(plantedFault: plantedFault)
        self.identity = identity
    }

    private mutating func beginHistory(above floor: Int64) {
        guard
            let next = HistoryRules.floor(above: max(floor, identity.history.floor), nextPosition - 1)
        else { preconditionFailure("a simulated world has too few histories to use all positions up") }
        identity.history = HubIdentity.History(number: identity.takeName(), floor: next)
        if plantedFault != .reusesLostPositions { nextPosition = next + 1 }
    }

    /// Counts a change made by a delivery.
    mutating func countCommit() { identity.commit += 1 }

    /// True when a delivery may be applied: it names the present history, in the present opening.
    func mayDeliver(in history: ServerHistory?) -> Bool {
        guard let history, plantedFault != .deliversInFormerHistories else { return true }
        return history.isSame(as: present)
            && (history.opening == present.opening || plantedFault == .deliversAfterItsStart)
    }
}
