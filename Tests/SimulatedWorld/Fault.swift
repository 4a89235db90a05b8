/// Everything that goes wrong in the simulated world.
package enum Fault: String, CaseIterable, Sendable, Hashable {
    // The network
    case requestLost, answerLost, requestLate, requestRepeated, slow, cut, halfOpen, captivePortal, lateAnswer
    // What the hub tells by its event stream
    case proofEarly, proofLate, proofRepeated
    // The hub
    case transient, rateLimited, tokenRefused, certificate, requestRefused, tryLater, tryLaterAfter
    case hubRestart, hubOutage
    // The client and its disk
    case crash, createdBetween, slowDisk, fullDisk, clockJump
    // Two of one outbox: an old process that goes on, a copy of the store that is opened
    case pausedProcess, restoredCopy
    // What only time, or nobody, puts right
    case protocolMismatch, nobodyRepairs, commitUnknown
    // The client's machine
    case suspended, lateTimer, lethalPayload
    // What the client does in good order, in the midst of everything
    case orderlyClose, tokenRenewal
    // Nonsense, and what comes too late
    case malformedReport, lateDraft, overtaken
    // What the hub finds wrong by itself
    case forbiddenEdit, idTaken

    /// In thousandths of the occasions that it has, before the plan multiplies it.
    var likelihood: Int {
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
        case .lethalPayload, .idTaken, .overtaken: 0  // not by chance: they are in the message
        }
    }

    /// In how many seeds it has to strike once while something is under way, or a run shows nothing of it.
    var seedsPerStrikeMax: Int {
        switch self {
        case .overtaken: 5_000  // takes several things at once
        case .pausedProcess, .restoredCopy: 100  // once for each client
        default: 50
        }
    }

    var index: Int { Self.indices[self] ?? 0 }

    private static let indices = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))
}

/// One fault in one run: the how-manieth of its kind. A story is made smaller by sparing it some.
package struct Strike: Hashable, Sendable {
    var fault: Fault
    var number: Int
}
