/// How often what struck, and what it struck.
struct TortureTally: Sendable {
    /// Where a kill found the daemon.
    enum Phase: String, Sendable, CaseIterable {
        /// Nobody listened yet.
        case starting
        /// Nothing was to be done.
        case idle
        /// Messages were being taken or waited.
        case loaded
        /// Messages were on their way to the hub.
        case sending
    }

    var kills: [Phase: Int] = [:]
    /// Kills at which a program had asked for messages to be taken, and had no answer yet.
    var killsWhileTaking = 0
    /// Kills that left messages on their way, or programs without an answer.
    var killsInFlight = 0
    var hubKills = 0
    var lostAnswers = 0
    var cuts = 0
    var resends = 0
    /// Calls of a program, and those of them that the kill cut off.
    var calls = 0
    var callsCutOff = 0
    var offered = 0
    var accepted = 0
    var onTheHub = 0
    var resent = 0

    var killCount: Int { kills.values.reduce(0, +) }

    /// A run in which hardly any kill struck with messages in flight has shown nothing.
    var isTelling: Bool { killCount > 0 && killsInFlight * 3 >= killCount }

    static func += (left: inout TortureTally, right: TortureTally) {
        left.kills.merge(right.kills, uniquingKeysWith: +)
        left.killsWhileTaking += right.killsWhileTaking
        left.killsInFlight += right.killsInFlight
        left.hubKills += right.hubKills
        left.lostAnswers += right.lostAnswers
        left.cuts += right.cuts
        left.resends += right.resends
        left.calls += right.calls
        left.callsCutOff += right.callsCutOff
        left.offered += right.offered
        left.accepted += right.accepted
        left.onTheHub += right.onTheHub
        left.resent += right.resent
    }

    var summary: String {
        let phases = Phase.allCases.map { "\($0.rawValue) \(kills[$0, default: 0])" }.joined(separator: ", ")
        return """
            \(killCount) kills: \(phases); \(killsInFlight) with messages in flight, \(killsWhileTaking) while taking
            \(hubKills) kills of the hub, \(lostAnswers) spells of lost answers, \(cuts) cuts, \(resends) resends
            \(calls) calls, \(callsCutOff) cut off; \(offered) messages offered, \(accepted) accepted, \
            \(onTheHub) on the hub, \(resent) of them resent
            """
    }
}
