package import CausewayModels

/// Why a message waits, as JSON: `kind`, and the fields of that kind. Times are given twice: as RFC 3339 and as
/// milliseconds since 1970.
package struct WaitReasonDTO: Sendable, Hashable, Codable {
    /// `noSession`, `offline`, `settling`, `backingOff`, `rateLimited`, `actionRequired`, `behind`, `behindLane`,
    /// `lanePaused`, `parked`, `blocked`, `uploading`, `inFlight`, `ready`, `paused`, `storeUnavailable` or
    /// `startingOver`.
    package let kind: String
    package var detail: String?
    /// `settling`, `backingOff`, `rateLimited`, `startingOver`: when it ends. `offline`: when the server is probed
    /// again.
    package var until: String?
    package var untilMs: Int64?
    /// `inFlight`: the start of the attempt.
    package var since: String?
    package var sinceMs: Int64?
    /// `backingOff`: the number of failed attempts.
    package var attempts: Int?
    /// `actionRequired`: `tokenRefused`, `certificate`, `protocolMismatch` or `superseded`.
    package var cause: String?
    /// `behind`, `behindLane`: the message that goes first. `lanePaused`: the failed message to resend or delete.
    /// `parked`: the message that this one refers to. `blocked`: the same message, which failed and must be resent or
    /// deleted.
    package var message: MessageID?
    /// `behindLane`: the lane of that message.
    package var lane: String?
    /// `uploading`: bytes.
    package var sent: Int64?
    package var total: Int64?

    package init(_ reason: WaitReason) {
        switch reason {
        case .noSession: kind = "noSession"
        case .offline(let detail, let nextProbe):
            kind = "offline"
            self.detail = detail
            setUntil(nextProbe)
        case .settling(let until):
            kind = "settling"
            setUntil(until)
        case .backingOff(let until, let attempts):
            kind = "backingOff"
            self.attempts = attempts
            setUntil(until)
        case .rateLimited(let until):
            kind = "rateLimited"
            setUntil(until)
        case .startingOver(let until):
            kind = "startingOver"
            setUntil(until)
        case .actionRequired(let actionRequired):
            kind = "needsAttention"
            cause = actionRequired.cause.rawValue
            detail = actionRequired.detail
        case .behind(let message):
            kind = "behind"
            self.message = message
        case .behindLane(let lane, let message):
            kind = "behindLane"
            self.lane = lane.rawValue
            self.message = message
        case .lanePaused(let message):
            kind = "lanePaused"
            self.message = message
        case .parked(let message):
            kind = "parked"
            self.message = message
        case .blocked(let message):
            kind = "blocked"
            self.message = message
        case .uploading(let sent, let total):
            kind = "uploading"
            self.sent = sent
            self.total = total
        case .inFlight(let since):
            kind = "inFlight"
            self.since = since.description
            sinceMs = since.milliseconds
        case .ready: kind = "ready"
        case .paused: kind = "paused"
        case .storeUnavailable(let detail):
            kind = "storeUnavailable"
            self.detail = detail
        }
    }

    private mutating func setUntil(_ moment: Timestamp?) {
        until = moment?.description
        untilMs = moment?.milliseconds
    }
}
