/// Everything that goes wrong in the simulated world.
package enum Fault: String, CaseIterable, Sendable {
    // The network
    case requestLost, answerLost, requestLate, requestRepeated, slow, cut, captivePortal, certificate
    // The hub
    case transient, appliedThenFailed, rateLimited, tokenRefused, requestRefused, tryLater, tryLaterAfter, hubRestart
    case hubOutage
    // The device
    case crash, crashBeforeCommit, crashAfterCommit, crashOnCall, copyGoesOn, restart
    case diskFull, commitFails, readFails, slowDisk, clockJump
    // What only time puts right
    case nobodyRepairs, protocolMismatch, lateTimer
    // What is in the message
    case lethalPayload, idTaken
    // The hub's data go back or are others, and the feed says no more than that something changed
    case hubPutBack, hubRestored, hubWiped, hubReplaced, feedReset

    /// In thousandths, before the plan multiplies it. What strikes by the clock is asked every few seconds, what
    /// strikes a request or a commit at each of them.
    var likelihood: Int {
        switch self {
        case .requestLost, .answerLost, .requestRepeated, .transient, .tryLater: 50
        case .requestLate, .slow, .appliedThenFailed, .captivePortal: 40
        case .rateLimited, .tryLaterAfter, .cut: 30
        case .requestRefused, .certificate: 15
        case .hubRestart: 80
        case .tokenRefused, .hubOutage: 10
        case .crashBeforeCommit, .crashAfterCommit: 8
        case .crashOnCall: 15
        case .crash, .restart: 25
        case .copyGoesOn: 20
        case .diskFull, .slowDisk: 40
        case .clockJump: 100
        case .commitFails, .readFails: 20
        case .nobodyRepairs, .protocolMismatch: 10
        case .lateTimer: 20
        case .lethalPayload, .idTaken: 0
        case .hubPutBack: 40
        case .hubRestored, .hubReplaced: 25
        case .hubWiped: 20
        case .feedReset: 15
        }
    }

    /// Drawn from a stream of its own: a seed in which none of them strikes has the history that it would have without
    /// them.
    var isOfHistory: Bool { Self.ofHistory.contains(self) }

    static let ofHistory: [Fault] = [.hubPutBack, .hubRestored, .hubWiped, .hubReplaced, .feedReset]

    /// True for what only counts when deliveries are under way.
    package var strikesInFlight: Bool {
        switch self {
        case .restart, .clockJump, .readFails, .commitFails, .diskFull, .slowDisk, .feedReset: false
        default: true
        }
    }
}
