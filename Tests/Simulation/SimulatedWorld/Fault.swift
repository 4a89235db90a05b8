import CausewaySimulationKernel

/// The faults of the simulated world.
package enum Fault: Int, SimulatedFault {
    // The network
    case requestLost, answerLost, requestLate, requestRepeated, slow, cut, halfOpen, captivePortal, lateAnswer
    // The hub's event stream
    case proofEarly, proofLate, proofRepeated
    // The hub
    case transient, rateLimited, tokenRefused, certificate, requestRefused, tryLater, tryLaterAfter
    case hubRestart, hubOutage
    // The client and its disk
    case crash, createdBetween, slowDisk, fullDisk, clockJump
    // Two processes of one outbox: an old process that continues, a copy of the store that is opened
    case pausedProcess, restoredCopy
    // Faults that only time, or nothing, repairs
    case protocolMismatch, nobodyRepairs, commitUnknown
    // The client's machine
    case suspended, lateTimer, lethalPayload
    // Correct behaviour of the client at inconvenient times
    case orderlyClose, tokenRenewal
    // Malformed responses, and late events
    case malformedReport, lateDraft, overtaken
    // Rejections by the hub itself
    case forbiddenEdit, idTaken
    // Uploads, and the hub's files
    case uploadCut, uploadAnswerLost, uploadBusy, uploadExpired, uploadDamaged, uploadHubRestart, fileExpired
    // The store's feed reports only that something changed
    case feedReset
    // The hub's data: a backup restored by the hub's own command, an earlier state copied into their place, another hub
    case hubRestored, hubPutBack, hubReplaced

    /// In thousandths of its occasions, before the plan multiplies it.
    package var likelihood: Int {
        switch self {
        case .requestLost, .answerLost, .requestLate, .requestRepeated: 40
        case .slow: 80
        case .cut, .halfOpen, .captivePortal: 20
        case .lateAnswer: 800
        case .proofEarly, .proofLate: 150
        case .proofRepeated: 400
        case .transient: 80
        case .rateLimited, .requestRefused, .tryLaterAfter: 20
        case .tokenRefused: 16
        case .certificate: 6
        case .tryLater: 40
        case .hubRestart, .hubOutage: 12
        case .crash: 8
        case .createdBetween: 15
        case .slowDisk: 60
        case .fullDisk: 10
        case .clockJump: 10
        case .pausedProcess, .restoredCopy: 4
        case .protocolMismatch: 8
        case .nobodyRepairs: 700
        case .commitUnknown: 20
        case .suspended: 10
        case .lateTimer: 25
        case .forbiddenEdit: 120
        case .malformedReport, .lateDraft: 25
        case .orderlyClose, .tokenRenewal: 15
        case .uploadCut: 80
        case .uploadAnswerLost: 40
        case .uploadBusy: 50
        case .uploadExpired, .uploadDamaged, .uploadHubRestart: 20
        case .fileExpired: 100
        case .feedReset: 30
        case .hubRestored, .hubPutBack: 20
        case .hubReplaced: 12
        case .lethalPayload, .idTaken, .overtaken: 0  // not drawn: they are properties of the message
        }
    }

    /// The number of seeds in which it has to strike once while a delivery is in flight; otherwise a run proves nothing
    /// about it.
    var seedsPerStrikeMax: Int {
        switch self {
        case .overtaken: 5_000  // requires a combination of events
        case .pausedProcess, .restoredCopy: 100  // once for each client
        case .hubRestored, .hubPutBack, .hubReplaced, .uploadDamaged: 100  // in a part of the plans
        default: 50
        }
    }

    package var name: String { "\(self)" }

    /// The losses of the hub's data.
    static let ofHistory: [Fault] = [.hubRestored, .hubPutBack, .hubReplaced]
    /// Drawn apart from the others, so that plans without them are the same as before they existed.
    static let drawnApart: [Fault] = [.feedReset] + ofHistory

    /// Its place among all, which also makes it cheap as a key.
    var index: Int { rawValue }
}

/// One strike of a fault in one run, by its ordinal number. A history is shrunk by sparing some strikes.
package struct FaultHit: Hashable, Sendable {
    var fault: Fault
    var number: Int
}
