/// Counts of the faults, and of the state that they hit.
struct TortureTally: Sendable {
    /// The state of the daemon at a kill.
    enum Phase: String, Sendable, CaseIterable {
        /// It did not listen yet.
        case starting
        /// It had nothing to do.
        case idle
        /// Messages were being accepted or waited.
        case loaded
        /// Messages were being sent to the hub.
        case sending
    }

    var kills: [Phase: Int] = [:]
    /// Kills while a call to enqueue messages had not returned.
    var killsWhileTaking = 0
    /// Kills that left messages in flight, or calls without a result.
    var killsInFlight = 0
    var hubKills = 0
    var lostAnswers = 0
    var cuts = 0
    var resends = 0
    /// Calls of a program, and those that the kill interrupted.
    var calls = 0
    var callsCutOff = 0
    var offered = 0
    var accepted = 0
    var onTheHub = 0
    var resent = 0

    var killCount: Int { kills.values.reduce(0, +) }

    /// True when enough kills hit messages in flight; otherwise the run proves nothing.
    var isRecording: Bool { killCount > 0 && killsInFlight * 3 >= killCount }

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
