import CausewayModels

/// Reaching the server: probes, the stable time after an outage, and deadlines.
extension Outbox {
    /// True if only a deadline keeps the lanes from sending.
    var mayTransmitButForTime: Bool {
        hasSession && !isPaused && attention == nil && link.isOnline
    }

    func mayTransmit(at now: MonotonicTime) -> Bool {
        guard mayTransmitButForTime else { return false }
        if let rateLimitedUntil, rateLimitedUntil > now { return false }
        return true
    }

    mutating func startProbe(_ moment: Moment, _ actions: inout [OutboxAction]) {
        guard hasSession, !link.isProbing else { return }
        link.isProbing = true
        link.nextProbe = nil
        link.lastProbe = moment.now
        actions.append(.probe)
    }

    /// New messages are waiting: probe the server now, unless a probe was made recently.
    mutating func hurryProbe(_ moment: Moment, _ actions: inout [OutboxAction]) {
        guard case .offline = link.state, attention == nil, let planned = link.nextProbe else { return }
        let soonest = link.lastProbe.map { $0 + configuration.probeInterval } ?? moment.now
        if soonest <= moment.now {
            startProbe(moment, &actions)
        } else {
            link.nextProbe = min(planned, soonest)
        }
    }

    mutating func greeted(_ moment: Moment, _ actions: inout [OutboxAction]) {
        link.isProbing = false
        link.nextProbe = nil
        noteHeard(moment)
        let hadAttention = attention != nil
        resolveAttention()
        switch link.state {
        case .unknown: link.state = .online(since: moment.now)
        case .offline: link.state = .settling(until: moment.now + configuration.settlingTime)
        case .settling, .online: break
        }
        if hadAttention || link.isOnline { pumpAll(moment, &actions) }
        endQuestionPauses(moment, &actions)
    }

    mutating func probeFailed(_ error: TransportError, _ moment: Moment) {
        link.isProbing = false
        switch error {
        case .unreachable(let detail), .inDoubt(let detail):
            goOffline(detail, moment)
        case .storeForked, .historyChanged: break  // a response only to deliveries
        case .notSent:
            if !link.isOnline { link.nextProbe = moment.now + configuration.probeInterval }
        case .transient, .serverFailed:
            // The server itself responded, so it can be reached; errors of deliveries are handled with the deliveries.
            reached(moment)
        case .rateLimited(let after, _):
            reached(moment)
            limitRate(after, moment)
        case .needsAttention(let attention):
            needAttention(attention, moment)
        case .refused(_, let detail):
            needAttention(Attention(cause: .protocolMismatch, detail: detail), moment)
        }
        planAttentionProbe(moment)
    }

    private mutating func reached(_ moment: Moment) {
        switch link.state {
        case .unknown: link.state = .settling(until: moment.now)
        case .offline: link.state = .settling(until: moment.now + configuration.settlingTime)
        case .settling, .online: break
        }
    }

    mutating func goOffline(_ detail: String, _ moment: Moment) {
        if case .online(let since) = link.state, moment.now - since >= configuration.stableAfter {
            link.failures = 0
        }
        if case .offline(_, let since) = link.state {
            link.state = .offline(detail: detail, since: since)
            if link.isProbing || link.nextProbe != nil { return }  // another report of the same outage
        } else {
            link.state = .offline(detail: detail, since: moment.wall)
        }
        guard attention == nil else { return }
        var pause = configuration.probeInterval
        for _ in 0..<min(link.failures, 30) where pause < configuration.probeIntervalMax { pause *= 2 }
        link.failures += 1
        link.nextProbe = moment.now + jittered(pause, atMost: configuration.probeIntervalMax)
    }

    mutating func limitRate(_ after: Duration, _ moment: Moment) {
        let until = moment.now + min(max(after, configuration.rateLimitWaitMin), configuration.rateLimitWaitMax)
        rateLimitedUntil = max(rateLimitedUntil ?? until, until)
    }

    // MARK: - Probes of an idle client

    /// The share of the interval after which the earliest idle probe comes.
    private static let idleProbePercentMin = 60
    private static let idleProbeIntervalMin: Duration = .seconds(1)

    /// Plans a probe for the case that the server, while it can be reached, is not heard from.
    mutating func planIdleProbe(_ moment: Moment) {
        guard let idleInterval, hasSession, !isPaused, attention == nil, link.isOnline, !link.isProbing,
            link.nextProbe == nil
        else { return }
        let isJittered = configuration.retry.jitterPercent > 0
        let percent = isJittered ? Int.random(in: Self.idleProbePercentMin...100, using: &generator) : 100
        // After a probe without a result the next one comes no sooner than usual.
        let last = max(link.lastHeard ?? moment.now, link.lastProbe ?? .zero)
        link.nextProbe = last + idleInterval / 100 * percent
    }

    /// Cancels the idle probe: nothing is sent during a pause.
    mutating func forgetIdleProbe() {
        if idleInterval != nil, link.isOnline, attention == nil { link.nextProbe = nil }
    }

    /// Notes that the server responded.
    mutating func noteHeard(_ moment: Moment) {
        if idleInterval != nil { link.lastHeard = moment.now }
    }

    /// True if the probe that is due is an idle probe, and the server has responded since it was planned.
    private func isHeard(_ moment: Moment) -> Bool {
        guard let idleInterval, let heard = link.lastHeard, link.isOnline, attention == nil else { return false }
        return moment.now - heard < idleInterval / 100 * Self.idleProbePercentMin
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

    mutating func deadlineReached(_ moment: Moment, _ actions: inout [OutboxAction]) {
        if let nextProbe = link.nextProbe, nextProbe <= moment.now {
            if isHeard(moment) { link.nextProbe = nil } else { startProbe(moment, &actions) }
        }
        if case .settling(let until) = link.state, until <= moment.now { link.state = .online(since: moment.now) }
        if let until = rateLimitedUntil, until <= moment.now { rateLimitedUntil = nil }
        pumpAll(moment, &actions)
    }
}
