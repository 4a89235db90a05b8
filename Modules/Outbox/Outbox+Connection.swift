import CausewayModels

/// Reaching the server: probes, the stable time after an outage, and deadlines.
extension Outbox {
    mutating func startProbe(_ step: inout OutboxStep) {
        guard hasSession, !connection.isProbing else { return }
        connection.isProbing = true
        connection.nextProbe = nil
        connection.lastProbe = step.clock.now
        step.perform(.probe)
    }

    /// Probes the server for a caller that depends on the result: until a probe that began after the request has
    /// succeeded, there is a next one.
    mutating func requestProbe(_ step: inout OutboxStep) {
        connection.requested = connection.isProbing ? .afterPresent : .next
        startProbe(&step)
    }

    /// Plans the next probe after one that has failed, if a request depends on it.
    private mutating func planRequestedProbe(_ clock: ClockReading) {
        guard connection.requested != nil else { return }
        connection.requested = .next
        guard actionRequired == nil, !connection.isProbing, connection.nextProbe == nil else { return }
        let soonest = clock.now + jittered(configuration.probeInterval)
        connection.nextProbe = max(soonest, rateLimitedUntil ?? soonest)
    }

    /// New messages are waiting: probe the server now, unless a probe was made recently.
    mutating func hurryProbe(_ step: inout OutboxStep) {
        guard case .offline = connection.state, actionRequired == nil, let planned = connection.nextProbe else {
            return
        }
        let soonest = connection.lastProbe.map { $0 + configuration.probeInterval } ?? step.clock.now
        if soonest <= step.clock.now {
            startProbe(&step)
        } else {
            connection.nextProbe = min(planned, soonest)
        }
    }

    mutating func authenticated(_ step: inout OutboxStep) {
        connection.isProbing = false
        connection.isServerKnown = true
        connection.nextProbe = nil
        noteHeard(step.clock)
        let hadActionRequired = actionRequired != nil
        actionRequired = nil
        switch connection.state {
        case .unknown: connection.state = .online(since: step.clock.now)
        case .offline: connection.state = .settling(until: step.clock.now + configuration.settlingTime)
        case .settling, .online: break
        }
        if hadActionRequired || connection.isOnline { dispatchAll(&step) }
        endQuestionPauses(&step)
        let isAnotherRequested = connection.requested == .afterPresent
        connection.requested = isAnotherRequested ? .next : nil
        if isAnotherRequested { startProbe(&step) }
    }

    mutating func probeFailed(_ error: TransportError, _ clock: ClockReading) {
        connection.isProbing = false
        switch error {
        case .unreachable(let detail), .inDoubt(let detail):
            // A delivery that failed meanwhile planned one: the pause counts from this failure.
            connection.nextProbe = nil
            goOffline(detail, clock)
        case .storeForked, .historyChanged, .notSent:
            // The first two are responses to deliveries, and say nothing here.
            if !connection.isOnline { connection.nextProbe = clock.now + configuration.probeInterval }
        case .transient(_, let detail), .serverFailed(_, let detail):
            // The server itself responded, so it can be reached; errors of deliveries are handled with the deliveries.
            reached(detail, clock)
        case .rateLimited(let after, let detail):
            limitRate(after, clock)
            reached(detail, clock)
        case .actionRequired(let actionRequired):
            requireAction(actionRequired, clock)
        case .refused(_, let detail):
            requireAction(ActionRequired(cause: .protocolMismatch, detail: detail), clock)
        }
        planRecoveryProbe(clock)
        planRequestedProbe(clock)
    }

    /// The server responded, and did not process the probe.
    private mutating func reached(_ detail: String, _ clock: ClockReading) {
        guard connection.isServerKnown else {
            connection.nextProbe = nil
            goOffline(detail, clock)
            if let nextProbe = connection.nextProbe {
                connection.nextProbe = max(nextProbe, rateLimitedUntil ?? nextProbe)
            }
            return
        }
        switch connection.state {
        case .unknown: connection.state = .settling(until: clock.now)
        case .offline: connection.state = .settling(until: clock.now + configuration.settlingTime)
        case .settling, .online: break
        }
    }

    mutating func goOffline(_ detail: String, _ clock: ClockReading) {
        if case .online(let since) = connection.state, clock.now - since >= configuration.stableAfter {
            connection.failures = 0
        }
        if case .offline(_, let since) = connection.state {
            connection.state = .offline(detail: detail, since: since)
            if connection.isProbing || connection.nextProbe != nil { return }  // another report of the same outage
        } else {
            connection.state = .offline(detail: detail, since: clock.wall)
        }
        guard actionRequired == nil else { return }
        var pause = configuration.probeInterval
        for _ in 0..<min(connection.failures, 30) where pause < configuration.probeIntervalMax { pause *= 2 }
        connection.failures += 1
        connection.nextProbe = clock.now + jittered(pause, atMost: configuration.probeIntervalMax)
    }

    mutating func limitRate(_ after: Duration, _ clock: ClockReading) {
        let until = clock.now + min(max(after, configuration.rateLimitWaitMin), configuration.rateLimitWaitMax)
        rateLimitedUntil = max(rateLimitedUntil ?? until, until)
    }

    // MARK: - The machine's network

    /// Probes at once, and after a failure again at the shortest pause: a probe under way may wait on a path that is
    /// gone.
    mutating func networkChanged(_ step: inout OutboxStep) {
        connection.failures = 0
        connection.isProbing = false
        startProbe(&step)
    }

    /// Goes offline without an attempt. Probes go on at their pace, in case the system is wrong about its network.
    mutating func networkLost(_ clock: ClockReading) {
        guard hasSession else { return }
        connection.isProbing = false
        goOffline("this machine has no network connection", clock)
    }

    // MARK: - Probes of an idle client

    /// The share of the interval after which the earliest idle probe comes.
    private static let idleProbePercentMin = 60
    private static let idleProbeIntervalMin: Duration = .seconds(1)

    /// Plans a probe for the case that the server, while it can be reached, is not heard from.
    mutating func planIdleProbe(_ clock: ClockReading) {
        guard let idleInterval, mayTransmitButForTime, !connection.isProbing, connection.nextProbe == nil
        else { return }
        let isJittered = configuration.retry.jitterPercent > 0
        let percent = isJittered ? Int.random(in: Self.idleProbePercentMin...100, using: &generator) : 100
        // After a probe without a result, or a pause that the server asked for, the next one comes no sooner than
        // usual.
        let last = max(connection.lastHeard ?? clock.now, connection.lastProbe ?? .zero, rateLimitedUntil ?? .zero)
        connection.nextProbe = last + idleInterval / 100 * percent
    }

    /// Cancels the idle probe: nothing is sent during a pause.
    mutating func forgetIdleProbe() {
        if idleInterval != nil, connection.isOnline, actionRequired == nil, connection.requested == nil {
            connection.nextProbe = nil
        }
    }

    /// Notes that the server responded.
    mutating func noteHeard(_ clock: ClockReading) {
        if idleInterval != nil { connection.lastHeard = clock.now }
    }

    /// True if the probe that is due is an idle probe that has to be planned anew: since it was planned, the server has
    /// responded, or has asked to wait.
    private func isIdleProbeObsolete(_ clock: ClockReading) -> Bool {
        guard let idleInterval, connection.isOnline, actionRequired == nil, connection.requested == nil else {
            return false
        }
        if let rateLimitedUntil, rateLimitedUntil > clock.now { return true }
        return connection.lastHeard.map { clock.now - $0 < idleInterval / 100 * Self.idleProbePercentMin } ?? false
    }

    private var idleInterval: Duration? {
        configuration.idleProbeInterval.map { max($0, Self.idleProbeIntervalMin) }
    }

    /// The pause, randomly lengthened.
    mutating func jittered(_ pause: Duration) -> Duration {
        let percent = configuration.retry.jitterPercent
        guard percent > 0 else { return pause }
        return pause + pause / 100 * Int.random(in: 0...percent, using: &generator)
    }

    /// The pause, randomly varied, and never longer than `most`.
    mutating func jittered(_ pause: Duration, atMost most: Duration) -> Duration {
        let longer = jittered(min(pause, most))
        return longer <= most ? longer : max(.zero, most - (longer - most))
    }

    mutating func deadlineReached(_ step: inout OutboxStep) {
        if let nextProbe = connection.nextProbe, nextProbe <= step.clock.now {
            if isIdleProbeObsolete(step.clock) { connection.nextProbe = nil } else { startProbe(&step) }
        }
        if case .settling(let until) = connection.state, until <= step.clock.now {
            connection.state = .online(since: step.clock.now)
        }
        if let until = rateLimitedUntil, until <= step.clock.now { rateLimitedUntil = nil }
        if let until = startOverUntil, until <= step.clock.now { startOverUntil = nil }
        dispatchAll(&step)
    }

    // MARK: - Required action

    mutating func requireAction(_ actionRequired: ActionRequired, _ clock: ClockReading) {
        self.actionRequired = actionRequired
        connection.nextProbe = nil
        planRecoveryProbe(clock)
    }

    /// Plans the next probe, whatever the result of the last one: as long as user action is required there is a next
    /// probe, unless only the user can change the state. A server's request to wait is obeyed.
    mutating func planRecoveryProbe(_ clock: ClockReading) {
        guard let actionRequired, actionRequired.cause != .superseded, !connection.isProbing,
            connection.nextProbe == nil
        else { return }
        let soonest = clock.now + configuration.recoveryProbeInterval
        connection.nextProbe = max(soonest, rateLimitedUntil ?? soonest)
    }
}
