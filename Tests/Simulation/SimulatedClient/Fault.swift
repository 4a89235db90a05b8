import CausewaySimulationKernel

/// The faults of the simulated world.
package enum Fault: String, SimulatedFault {
    // The network
    case requestLost, answerLost, requestLate, requestRepeated, slow, cut, captivePortal, certificate
    // The hub
    case transient, appliedThenFailed, rateLimited, tokenRefused, requestRefused, tryLater, tryLaterAfter, hubRestart
    case hubOutage
    // The device
    case crash, crashBeforeCommit, crashAfterCommit, crashOnCall, copyGoesOn, restart
    case diskFull, commitFails, readFails, slowDisk, clockJump
    // Faults that only time repairs
    case nobodyRepairs, protocolMismatch, lateTimer
    // Faults of the message itself
    case lethalPayload, idTaken
    // The hub's data are rolled back or replaced, and the feed reports only that something changed
    case hubPutBack, hubRestored, hubWiped, hubReplaced, feedReset
    // Events
    case eventsRepeated, eventsLimited, eventsForgotten
    // The disk's memory: what it has not confirmed is gone
    case powerLost
    // Files: on their way to the hub, on the hub, on the device
    case uploadCut, uploadAnswerLost, uploadHubRestart, uploadDamaged, uploadQuota, uploadExpired, fileExpired
    case copyFails, fileReadFails, releaseFails
    // A page without messages that promises more of them
    case pageLeadsNowhere
    // The device's disk under a file store: its power is cut during a commit, a write or a sync fails
    case powerCut, writeFails, syncFails
    // Reports that do not match their request, have impossible numbers, or a mark ahead of everything sent
    case malformedReport, markAhead

    /// In thousandths, before the plan multiplies it. Faults that strike by the clock are drawn every few seconds,
    /// those that strike a request or a commit at each of them.
    package var likelihood: Int {
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
        case .eventsRepeated: 100
        case .eventsLimited: 50
        case .eventsForgotten: 10
        case .powerLost: 50
        case .uploadCut, .uploadAnswerLost: 40
        case .uploadHubRestart: 20
        case .uploadDamaged, .uploadQuota: 60
        case .uploadExpired, .fileExpired: 100
        case .copyFails, .fileReadFails, .releaseFails: 30
        case .pageLeadsNowhere: 100
        case .powerCut: 30
        case .writeFails, .syncFails: 15
        case .malformedReport: 25
        case .markAhead: 10
        }
    }

    /// The stream from which its strikes are drawn: a seed in which none of a stream strikes has the same history as
    /// without the stream.
    enum Dice {
        case general, history, events, power, files, pages, disk, nonsense
    }

    var dice: Dice {
        switch self {
        case .hubPutBack, .hubRestored, .hubWiped, .hubReplaced, .feedReset: .history
        case .eventsRepeated, .eventsLimited, .eventsForgotten: .events
        // It strikes commits that the disk has not confirmed; only events make such commits.
        case .powerLost: .power
        case .uploadCut, .uploadAnswerLost, .uploadHubRestart, .uploadDamaged, .uploadQuota, .uploadExpired,
            .fileExpired, .copyFails, .fileReadFails, .releaseFails:
            .files
        case .pageLeadsNowhere: .pages
        case .powerCut, .writeFails, .syncFails: .disk
        case .malformedReport, .markAhead: .nonsense
        default: .general
        }
    }

    /// True for faults that leave the draws of the others as they are; none of them, apart from those of disks, strikes
    /// a steady hub's clients.
    var hasOwnDice: Bool { dice != .general }

    /// The place among all cases: an enumeration without payloads is its number in memory.
    var number: Int { Int(unsafe unsafeBitCast(self, to: UInt8.self)) }

    static let ofFiles = allCases.filter { $0.dice == .files }
    static let ofEvents = allCases.filter { $0.dice == .events }
    static let ofDisk = allCases.filter { $0.dice == .disk }
    static let ofNonsense = allCases.filter { $0.dice == .nonsense }
    static let ofHistory = allCases.filter { $0.dice == .history }

    /// True for faults that only count while deliveries are in flight.
    package var strikesInFlight: Bool {
        switch self {
        case .restart, .clockJump, .readFails, .commitFails, .diskFull, .slowDisk, .feedReset, .eventsRepeated,
            .eventsLimited, .eventsForgotten, .powerLost, .fileExpired, .copyFails, .fileReadFails, .releaseFails,
            .pageLeadsNowhere, .powerCut, .writeFails, .syncFails:
            false
        default: true
        }
    }
}
