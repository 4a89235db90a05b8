package import CausewayModels
import CausewayTransport

/// Decides how the server's log is followed: when to take a cursor, to open a stream and to read on, how long to wait
/// after a failure, and which screens to notify.
///
/// ```
///  off ──follow──▶ waiting ◀──unreachable── (any)
///                     │ ready
///       no cursor ◀───┴───▶ cursor known
///           │                   │
///       locating ──cursor──▶ catchingUp ──up to date──▶ upToDate
///           │                   │  ▲                       │
///           └──failure──▶ backingOff(until) ◀──failure─────┘
/// ```
///
/// One action is under way at a time; its result is the next input. Free of I/O, clocks and tasks.
package struct EventFollower: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// No session, or a server without events.
        case off
        /// The server cannot be reached, or user action is required: nothing is requested.
        case waiting
        /// The end of the log is being taken, because no cursor is known; state is read after it.
        case locating
        /// Events are being read; the server has more of them, or has not responded yet.
        case catchingUp
        /// Everything that the server had is stored, and more is awaited.
        case upToDate
        /// The last request failed, or was refused; the next one is due at this time.
        case backingOff(until: MonotonicTime, EventProblem)
    }

    /// An instruction to the driver; each but ``end`` leads to one further input.
    package enum Action: Sendable, Hashable {
        case takeCursor
        case open(EventCursor)
        case readOn
        /// Ends the stream and the call under way, whose result is obsolete.
        case end
        case probe
        case notify(RefreshTrigger)
    }

    package private(set) var state: State = .off
    /// The position up to which everything is stored; `nil` before it was taken.
    package private(set) var cursor: EventCursor?
    /// Failures since the server last responded.
    private(set) var failures = 0
    /// The time at which screens are notified that events have been missing; `nil` while they are not, and afterwards.
    private(set) var outdatedAt: MonotonicTime?
    private var isOutdated = false
    /// True if screens must not rely on events: the server refuses them, or fails again and again.
    private var isUnavailable = false

    package init() {}

    // MARK: - The session

    /// A session began on a server with events, of which everything up to `cursor` is stored.
    package mutating func follow(from cursor: EventCursor?) -> [Action] {
        let actions = stop()
        self.cursor = cursor
        state = .waiting
        return actions
    }

    /// The session ended, or another one begins.
    package mutating func stop() -> [Action] {
        let wasReading = isReading
        self = EventFollower()
        return wasReading ? [.end] : []
    }

    /// The stored cursor belongs to a former history of the server.
    package mutating func forgetCursor() -> [Action] {
        guard state != .off else { return [] }
        let actions: [Action] = isReading ? [.end] : []
        cursor = nil
        state = .waiting
        return actions
    }

    // MARK: - Connectivity

    /// The server can be reached and accepts the account, or not any more.
    package mutating func serverBecame(ready isReady: Bool, at now: MonotonicTime) -> [Action] {
        if isReady {
            guard state == .waiting else { return [] }
            return begin()
        }
        guard isReading || isBackingOff else { return [] }
        let actions: [Action] = isReading ? [.end] : []
        startInterruption(now)
        state = .waiting
        return actions
    }

    /// The network changed: a call under way may wait on a path that is gone, and a pause says nothing any more.
    package mutating func networkChanged(at now: MonotonicTime) -> [Action] {
        guard isReading || isBackingOff else { return [] }
        let actions: [Action] = isReading ? [.end] : []
        startInterruption(now)
        state = .waiting
        return actions
    }

    /// A probe succeeded: a server that refused events may have been repaired, or replaced, since.
    package mutating func probeSucceeded() -> [Action] {
        guard case .backingOff(_, let problem) = state, problem.kind == .refused else { return [] }
        state = .waiting
        return begin()
    }

    // MARK: - Results

    /// The cursor is stored; the state of the server is read after it.
    package mutating func located(_ cursor: EventCursor) -> [Action] {
        guard state == .locating else { return [] }
        heard(cursor)
        state = .catchingUp
        return [.notify(.stateDue), .open(cursor)]
    }

    /// A batch is stored, together with its cursor.
    ///
    /// - Parameters:
    ///   - limited: the channels in which more changed than it lists, none of them if only records of other topics did;
    ///     `nil` if it lists everything.
    ///   - isAwaited: true if screens wait for what events bring.
    package mutating func stored(
        _ cursor: EventCursor, limited: Set<ChannelID>?, isUpToDate: Bool, isAwaited: Bool
    ) -> [Action] {
        guard isReading else { return [] }
        heard(cursor)
        var actions = [limited].compactMap(\.self).map { Action.notify(.channelsDue($0)) }
        if isUpToDate {
            if state != .upToDate || isAwaited { actions.append(.notify(.eventsCaughtUp)) }
            state = .upToDate
            outdatedAt = nil
            isOutdated = false
        } else {
            state = .catchingUp
        }
        return actions + [.readOn]
    }

    /// The server cannot continue from the cursor, and named another one, which is stored by now.
    package mutating func reset(to cursor: EventCursor) -> [Action] {
        guard isReading else { return [] }
        heard(cursor)
        state = .catchingUp
        return [.end, .notify(.stateDue), .open(cursor)]
    }

    /// A call failed, or its result could not be stored.
    ///
    /// - Parameter jitter: 0 to 1, chosen at random.
    package mutating func failed(_ problem: EventProblem, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard isReading else { return [] }
        failures += 1
        startInterruption(now)
        var pause = pause(jitter)
        var actions = [Action.end]
        switch problem.kind {
        case .cursorInvalid: cursor = nil
        case .refused: pause = SyncLimits.eventsRefusedInterval
        case .rateLimited(let after): pause = max(after, SyncLimits.eventsPauseMin)
        case .server, .store: break
        // The outbox finds out whether the server can be reached, and which action is required.
        case .connection, .account: actions.append(.probe)
        }
        state = .backingOff(until: now + pause, problem)
        if !isUnavailable, problem.kind == .refused || failures >= SyncLimits.eventsFailuresMax {
            isUnavailable = true
            actions.append(.notify(.reachable))
        }
        return actions
    }

    /// The server responded to a request from this cursor, or named it.
    private mutating func heard(_ cursor: EventCursor) {
        self.cursor = cursor
        failures = 0
        isUnavailable = false
    }

    /// Time has passed.
    package mutating func deadlineReached(at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        if let at = outdatedAt, at <= now {
            outdatedAt = nil
            isOutdated = true
            if phase != .none { actions.append(.notify(.eventsOutdated)) }
        }
        if case .backingOff(let until, _) = state, until <= now {
            state = .waiting
            actions += begin()
        }
        return actions
    }

    package var nextDeadline: MonotonicTime? {
        var deadlines = [outdatedAt].compactMap(\.self)
        if case .backingOff(let until, _) = state { deadlines.append(until) }
        return deadlines.min()
    }

    // MARK: - Steps

    private mutating func begin() -> [Action] {
        guard let cursor else {
            state = .locating
            return [.takeCursor]
        }
        state = .catchingUp
        return [.open(cursor)]
    }

    private mutating func startInterruption(_ now: MonotonicTime) {
        if outdatedAt == nil, !isOutdated { outdatedAt = now + SyncLimits.eventsOutdatedAfter }
    }

    /// The part of the longest pause to which pauses grow; the rest is for their random part.
    private static let pausePercentMax = 80

    /// The pause after the failures so far: doubles with each, and is up to a quarter longer at random, but no longer
    /// than ``SyncLimits/eventsPauseMax``.
    private func pause(_ jitter: Double) -> Duration {
        var pause = SyncLimits.eventsPauseMin
        let most = SyncLimits.eventsPauseMax / 100 * Self.pausePercentMax
        for _ in 1..<max(1, failures) where pause < most { pause *= 2 }
        return min(pause, most) * (1 + jitter / 4)
    }

    /// The meaning of the state for what is stored.
    package var phase: FollowedEvents.Phase {
        guard cursor != nil, !isUnavailable, state != .off else { return .none }
        return isReading ? .streaming : .interrupted
    }

    /// True while a call is under way, or its result is being stored.
    var isReading: Bool {
        switch state {
        case .locating, .catchingUp, .upToDate: true
        case .off, .waiting, .backingOff: false
        }
    }

    var isBackingOff: Bool {
        if case .backingOff = state { true } else { false }
    }
}

/// The reason why events are not read at the moment.
package struct EventProblem: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The connection failed, or the response is not from the server.
        case connection
        /// The account or the server's data need a probe.
        case account
        /// The server cannot do it now.
        case server
        case rateLimited(Duration)
        /// The server has no events, or refuses them to the account.
        case refused
        /// The text of the cursor is none of the server's.
        case cursorInvalid
        /// The store did not accept a batch.
        case store
    }

    package var kind: Kind
    package var detail: String

    package init(kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

extension EventProblem {
    package init(_ error: TransportError) {
        detail = error.description
        kind =
            switch error {
            case .unreachable, .inDoubt: .connection
            case .notSent, .transient, .serverFailed: .server
            case .rateLimited(let after, _): .rateLimited(after)
            // Something in between may have responded instead of the server, and may be gone at once.
            case .actionRequired(let action) where action.cause == .protocolMismatch: .connection
            case .actionRequired, .storeForked, .historyChanged: .account
            case .refused(EventCursor.invalidCode, _): .cursorInvalid
            case .refused: .refused
            }
    }
}
